import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { secretNames } from '../../generated/operations.ts';
import { generateSecret } from '../../src/domain/credential.ts';
import { createLogger, redactLine } from '../../src/runtime/logger.ts';
import { settingPath, startHarness } from '../support/harness.ts';
import { overrideStore } from '../support/override-store.ts';
import { Sink } from '../support/sink.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

test('the document names what is never logged', () => {
  expect(secretNames).toEqual(['authorization', 'label', 'metadata', 'thumbnail_url', 'x-api-key']);
});

const redacted = (line: object) => JSON.parse(redactLine(JSON.stringify(line))) as unknown;
const token = generateSecret('access-token', 'ca');
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

test('a log line has nothing under a secret name, at whatever depth and in whatever letter case, and stays as it is else, to the byte', () => {
  const line = { a: { b: { c: { d: [{ 'X-Api-Key': 'x', host: 'h' }] } } }, metadata: { reference: 1 }, label: null };
  expect(redacted(line)).toEqual({
    a: { b: { c: { d: [{ 'X-Api-Key': '[Redacted]', host: 'h' }] } } },
    metadata: '[Redacted]',
    label: '[Redacted]',
  });
  const harmless = '{"level":30,"durationMs":1.50,"operationId":"getCase","msg":"responded: the bearer is known"}\n';
  expect(redactLine(harmless)).toBe(harmless);
});

test('a request that fails unexpectedly leaves nothing secret in the log, whatever hangs on its error', async () => {
  const sink = new Sink();
  const readVerificationSetting = () => {
    const headers = { 'x-api-key': secret, Authorization: jwt };
    throw Object.assign(new Error(`cannot read with ${secret}`, { cause: new Error(`Bearer ${token}`) }), {
      request: { headers, rawHeaders: Object.entries(headers).flat() },
      config: { retries: [{ headers }] },
    });
  };
  const logger = await createLogger('info', sink);
  const api = await startHarness({ logger, wrapStore: (store) => overrideStore(store, { readVerificationSetting }) });
  const secret = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  expect((await api.call('GET', settingPath, { headers: { 'x-api-key': secret } })).status).toBe(500);
  expect(sink.text).toContain('cannot read with [Redacted]');
  expect(sink.text).toContain('"x-api-key":"[Redacted]"');
  for (const hidden of [secret, token, jwt]) expect(sink.text).not.toContain(hidden);
  expect(sink.text).not.toMatch(/dak_|dat_|eyJ/);
});

beforeEach(() => {
  delete process.env['NO_COLOR'];
});

async function logged(isTTY: boolean): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const logger = await createLogger('info', stream);
  logger.debug('hidden');
  logger.info({ status: 200 }, 'responded');
  return String(stream.read());
}

test('logs JSON lines to a file or a pipe, with nothing of the machine', async () => {
  const { time, ...line } = JSON.parse(await logged(false)) as Record<string, unknown>;
  expect([typeof time, line]).toEqual(['number', { level: 30, status: 200, msg: 'responded' }]);
});

test('logs readable lines to a terminal, in colours unless NO_COLOR is set', async () => {
  const line = await logged(true);
  expect(line).toMatch(/INFO.*responded/);
  for (const part of ['"msg"', 'hidden']) expect(line).not.toContain(part);
  expect(line).toContain('\u001b[');
  process.env['NO_COLOR'] = '1';
  expect(await logged(true)).not.toContain('\u001b[');
});

test('the lines of several loggers of one file come in their order, and each logger costs nothing', async () => {
  const folder = await TemporaryFolder.make();
  const path = join(folder.path, 'log');
  const stream = Object.assign(new PassThrough(), { fd: openSync(path, 'w') });
  const first = await createLogger('info', stream);
  const listeners = process.listenerCount('exit');
  const second = await createLogger('info', stream);
  for (let line = 0; line < 100; line += 2) {
    first.info({ line });
    second.info({ line: line + 1 });
  }
  expect(process.listenerCount('exit')).toBe(listeners);
  const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  while (lines().length < 100) await sleep(10);
  const numbers = lines().map((text) => (JSON.parse(text) as { line: number }).line);
  expect(numbers).toEqual([...Array(100).keys()]);
});
