import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

let api: Harness;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startHarness();
  headers = { 'x-api-key': await addApiKey(api.store, await addOrganisation(api.store), 'owner') };
});
afterAll(() => api.close());

async function whileLocked(work: () => Promise<void>): Promise<void> {
  const other = new Sqlite(api.databasePath);
  other.exec('BEGIN IMMEDIATE');
  try {
    await work();
  } finally {
    other.close();
  }
}

test('reads go on while another process writes, and an update waits for it', async () => {
  let update: ReturnType<Harness['call']> | undefined;
  await whileLocked(async () => {
    update = api.call('PUT', settingPath, { headers, body: { enabled: true } });
    for (let index = 0; index < 10; index += 1)
      expect((await api.call('GET', settingPath, { headers })).body).toEqual({ enabled: false });
  });
  expect((await update)?.body).toEqual({ enabled: true });
});

test('an update that waits too long gets 503, changes nothing, and works afterwards', async () => {
  await whileLocked(async () => {
    expect((await api.call('PUT', settingPath, { headers, body: { enabled: false } })).status).toBe(503);
  });
  expect((await api.call('GET', settingPath, { headers })).body).toEqual({ enabled: true });
  expect((await api.call('PUT', settingPath, { headers, body: { enabled: false } })).status).toBe(200);
});
