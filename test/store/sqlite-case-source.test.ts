import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { withDataDir } from '../support/process.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';

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

test('files come in the order of the statements, not in one that SQLite happens to choose', async () => {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(`${dataDir}/store.sqlite`);
    const organisationId = await addOrganisation(store);
    const added = buildCase(Array<'analysing'>(60).fill('analysing'));
    added.files.forEach((file, index) => (file.uploaded_at = new Date(Date.UTC(2026, 2, 2) + index).toISOString()));
    const caseId = await addCase(store, organisationId, { ...added, files: added.files.toReversed() });
    const database = new Sqlite(store.name);
    database.pragma('reverse_unordered_selects = ON');
    const source = sqliteCaseSource(new Connection(database));
    const idsOf = (files: unknown) =>
      (JSON.parse(`[${String(files)}]`) as { file_id: string }[]).map(({ file_id: id }) => id);
    const inOrder = added.files.map(({ file_id: id }) => id);
    expect(idsOf((await source.readBeginning(organisationId, caseId))?.beginning.files)).toEqual(inOrder);
    const part = await source.withCase(organisationId, caseId, async (_state, readPart) => readPart());
    expect(idsOf(part?.files)).toEqual(inOrder);
    source.close();
    database.close();
    await store.close();
  });
});
