import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { settingPath } from '../support/harness.ts';
import { addTenant, startServer } from '../support/process.ts';

test('two servers that update at the same time leave one audit entry for each, in one order', async () => {
  const first = await startServer();
  const { dataDir } = first;
  const urls = [first.url, (await startServer({ dataDir })).url];
  const { organisationId, key } = await addTenant(dataDir);
  const update = async (server: number, enabled: boolean) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = { method: 'PUT', headers, body: JSON.stringify({ enabled }) };
    return (await fetch(`${urls[server]}${settingPath}`, init)).status;
  };
  const clients = Array.from({ length: 16 }, async (_none, client) => {
    const seen: number[] = [];
    while (seen.length < 15) seen.push(await update(client % 2, (client + seen.length) % 4 < 2));
    return seen;
  });
  expect((await Promise.all(clients)).flat()).toEqual(Array(240).fill(200));
  const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
  const entries = (await store.listAuditEntries({ limit: 1000 })).filter(isSettingUpdate).reverse();
  expect(entries).toHaveLength(240);
  let held = false;
  for (const { before, after } of entries) {
    expect(before).toEqual({ enabled: held });
    held = after.enabled;
  }
  expect(await store.readVerificationSetting(organisationId)).toEqual(held);
  await store.close();
});
