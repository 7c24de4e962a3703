/** The rows that a server keeps of a credential never outlive what they say, over one kept connection. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { addCredential, addOrganisation, setFeature } from '../support/tenants.ts';

const noon = Date.parse('2026-03-02T12:00:00.000Z');
const hour = 3_600_000;

let now: number;
let api: Harness;
/** Another connection to the database, as that of another process. */
let other: Store;
let agent: Agent;
beforeEach(async () => {
  now = noon;
  api = await startHarness({ now: () => new Date(now) });
  other = openSqliteStore(api.databasePath);
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(async () => {
  agent.destroy();
  await other.close();
});

/** Reads the setting, and tells the status and whether the connection had been used before. */
async function read(apiKey: string): Promise<[status: number | undefined, isKept: boolean]> {
  const { port } = api.server.address() as AddressInfo;
  const request = get({ port, path: settingPath, agent, headers: { 'X-API-Key': apiKey } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return [response.statusCode, request.reusedSocket];
}

test('a key that another process revokes, and a feature or permission that it withdraws, end with the next request', async () => {
  const organisation = await addOrganisation(api.store);
  const { secret, credentialId } = await addCredential(api.store, organisation, { kind: 'api-key', role: 'owner' });
  expect(await read(secret)).toEqual([200, false]);
  expect(await read(secret)).toEqual([200, true]);
  await setFeature(other, organisation, false);
  expect(await read(secret)).toEqual([403, true]);
  await setFeature(other, organisation, true);
  expect(await read(secret)).toEqual([200, true]);
  await other.setPermission('owner', 'organisation_settings:read', false);
  expect(await read(secret)).toEqual([403, true]);
  await other.setPermission('owner', 'organisation_settings:read', true);
  expect(await read(secret)).toEqual([200, true]);
  await other.revokeCredential(credentialId, new Date(now).toISOString());
  expect(await read(secret)).toEqual([401, true]);
  expect(await read(secret)).toEqual([401, true]);
});

test('a kept key expires at its time, whichever way the clock jumps, though nobody writes', async () => {
  const { secret } = await addCredential(api.store, await addOrganisation(api.store), {
    kind: 'api-key',
    role: 'owner',
    expires_at: new Date(noon + hour).toISOString(),
  });
  for (const [at, status] of [
    [noon, 200],
    [noon + hour - 1, 200],
    [noon + hour, 401],
    [noon - 1000 * hour, 200],
    [noon + 1000 * hour, 401],
  ] as const) {
    now = at;
    expect([at, ...(await read(secret))]).toEqual([at, status, expect.any(Boolean)]);
  }
});
