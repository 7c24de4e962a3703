import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { withDataDir } from '../support/process.ts';
import { addCase, addOrganisation } from '../support/tenants.ts';

test('a case whose snapshot is lost while it is read tells why', async () => {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(`${dataDir}/store.sqlite`);
    const organisationId = await addOrganisation(store);
    const caseId = await addCase(store, organisationId);
    const database = new Sqlite(store.name);
    const source = sqliteCaseSource(new Connection(database));
    const reading = source.withCase(organisationId, caseId, () => {
      source.close();
      throw new Error('the store was closed');
    });
    await expect(reading).rejects.toThrow('the store was closed');
    database.close();
    await store.close();
  });
});
