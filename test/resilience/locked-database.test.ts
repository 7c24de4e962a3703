import Sqlite from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

/** test/store/sqlite.test.ts has an update that waits too long refused. */
test('reads go on while another process writes, and an update waits for it', async () => {
  const api = await startHarness();
  const headers = { 'x-api-key': await addApiKey(api.store, await addOrganisation(api.store), 'owner') };
  const other = new Sqlite(api.databasePath);
  other.exec('BEGIN IMMEDIATE');
  const update = api.call('PUT', settingPath, { headers, body: { enabled: true } });
  for (let index = 0; index < 10; index += 1)
    expect((await api.call('GET', settingPath, { headers })).body).toEqual({ enabled: false });
  other.close();
  expect((await update).body).toEqual({ enabled: true });
  await api.close();
});
