/** A body that is sent slowly, while the right to send it is withdrawn: on a running server, beside which an operator works. */
import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { expectConformance, settingPath } from '../support/harness.ts';
import { startProgram, withServer } from '../support/process.ts';
import { parseResponses } from '../support/raw-http.ts';
import { addCredential, addOrganisation } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const body = '{"enabled": true}';
const permission = 'organisation_settings:write';

/** How many milliseconds the key that expires lives: enough to begin with the request, on a loaded machine too. */
const lifetime = 10_000;

/** Sends an update one byte after the other. When the server has said that it reads the body, `during` happens. */
async function sendSlowly(url: string, key: string, during: () => Promise<unknown>) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(socket, 'close');
  const lines = ['Host: x', `x-api-key: ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(
    [`PUT ${settingPath} HTTP/1.1`, ...lines, 'Expect: 100-continue', 'Connection: close', '', ''].join('\r\n'),
  );
  await until('a response', () => text.includes('100 Continue') || socket.destroyed, 5);
  if (socket.destroyed) throw new Error(`The body was not asked for: ${text}`);
  const happens = during();
  for (const byte of body.slice(0, -1)) {
    socket.write(byte);
    await sleep(20);
  }
  await happens;
  socket.write(body.slice(-1));
  await closed;
  const [, response] = parseResponses(text);
  if (!response) throw new Error(`There is no response in ${text}`);
  expectConformance('PUT', settingPath, response);
  return [response.status, (JSON.parse(response.text) as { error_code?: string }).error_code];
}

interface Situation {
  organisation: string;
  credentialId: string;
  /** Runs a command of the operator. */
  operate: (...command: string[]) => Promise<void>;
}

test.each<[string, (situation: Situation) => Promise<unknown>, [number, string?]]>([
  ['nothing is withdrawn', () => Promise.resolve(), [200]],
  [
    'the key is revoked',
    ({ operate, credentialId }) => operate('credential', 'revoke', credentialId),
    [401, 'request.authentication.invalid-token'],
  ],
  ['the key expires', () => sleep(lifetime), [401, 'request.authentication.invalid-token']],
  [
    'the role loses the permission',
    ({ operate }) => operate('role', 'revoke', 'owner', permission),
    [403, 'request.forbidden'],
  ],
  [
    'the feature is withdrawn',
    ({ operate, organisation }) => operate('organisation', 'feature', organisation, 'verification', 'off'),
    [403, 'request.organisations.feature-flag.not-enabled'],
  ],
])('while a body is on its way, %s', async (name, withdraw, expected) => {
  await withServer({}, async ({ url, dataDir }) => {
    const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
    const organisation = await addOrganisation(store);
    const { secret, credentialId } = await addCredential(store, organisation, {
      kind: 'api-key',
      role: 'owner',
      expires_at: name === 'the key expires' ? new Date(Date.now() + lifetime).toISOString() : null,
    });
    const operate = async (...command: string[]) => {
      expect(await startProgram([...command, '--data-dir', dataDir]).ended).toBe(0);
    };
    const outcome = await sendSlowly(url, secret, () => withdraw({ organisation, credentialId, operate }));
    expect(outcome).toEqual([expected[0], expected[1]]);
    const written = expected[0] === 200;
    expect(await store.readVerificationSetting(organisation)).toBe(written);
    expect((await store.listAuditEntries({ limit: 10 })).filter(isSettingUpdate)).toHaveLength(written ? 1 : 0);
    await store.close();
  });
});
