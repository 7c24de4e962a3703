import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startProgram, stop } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

test('two servers that update at the same time leave one audit entry for each, in one order', async () => {
  const dataDir = await makeTemporaryFolder();
  const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
  const organisationId = await addOrganisation(store);
  const key = await addApiKey(store, organisationId, 'owner');
  const programs = [0, 1].map(() => startProgram(['serve', '--port', '0', '--data-dir', dataDir]));
  const urls = await Promise.all(programs.map(serving));
  const update = async (server: number, enabled: boolean) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = { method: 'PUT', headers, body: JSON.stringify({ enabled }) };
    return (await fetch(`${String(urls[server])}${settingPath}`, init)).status;
  };
  const clients = Array.from({ length: 16 }, async (_none, client) => {
    const seen: number[] = [];
    while (seen.length < 15) seen.push(await update(client % 2, (client + seen.length) % 4 < 2));
    return seen;
  });
  expect((await Promise.all(clients)).flat()).toEqual(Array(240).fill(200));
  const entries = (await store.listAuditEntries({ limit: 1000 })).filter(isSettingUpdate).reverse();
  expect(entries).toHaveLength(240);
  let held = false;
  for (const { before, after } of entries) {
    expect(before).toEqual({ enabled: held });
    held = after.enabled;
  }
  expect(await store.readVerificationSetting(organisationId)).toEqual(held);
  await Promise.all(programs.map((program) => stop(program)));
  await store.close();
});
