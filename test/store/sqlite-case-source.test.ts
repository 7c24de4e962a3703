import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.js';
import { Connection } from '../../src/store/sqlite/connection.js';
import { keepAlive } from '../../src/store/sqlite/keep-alive.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { withDataDir } from '../support/process.js';
import { addCase, addOrganisation } from '../support/tenants.js';

test('a case whose snapshot is lost while it is read tells why', async () => {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(`${dataDir}/store.sqlite`);
    const organisationId = await addOrganisation(store);
    const caseId = await addCase(store, organisationId);
    const database = keepAlive(new Sqlite(store.name));
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
