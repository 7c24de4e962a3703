import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import type { Store } from '../../src/store/store.js';
import { createTestDatabase, describePostgres, type TestDatabase } from '../support/postgres.js';
import { withDataDir } from '../support/process.js';
import {
  caseFixture,
  ended,
  expires,
  failure,
  newFile,
  resultOf,
  take,
  taken,
} from './conformance/analysis-fixtures.js';

/** Has every audit entry refused from now on, and expects that no analysis ends, half or wholly. */
async function expectNoHalves(store: Store, refuseEntries: () => Promise<void>): Promise<void> {
  const { organisationId, caseId, add } = await caseFixture(store);
  const [first, cached] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
  const { lease } = await take(store);
  await store.saveCachedAnalysisResult({
    organisation_id: organisationId,
    content_sha256: newFile('b').content_sha256,
    result: {},
    created_at: taken,
  });
  await refuseEntries();
  const state = async () => [
    await store.findCase(organisationId, caseId),
    await store.readAnalysis(String(first)),
    await store.readAnalysis(String(cached)),
    await store.countCachedAnalysisResults(organisationId),
    await store.countWaitingAnalyses(taken),
  ];
  const before = await state();
  const completion = { result: resultOf(1), cacheable: true, at: ended };
  await expect(store.completeAnalysis(lease, completion)).rejects.toThrow('refused');
  await expect(store.failAnalysis(lease, { failure, at: ended })).rejects.toThrow('refused');
  await expect(store.takeAnalysis({ at: taken, leaseExpiresAt: expires })).rejects.toThrow('refused');
  expect(await state()).toEqual(before);
  await store.close();
}

test('in SQLite an analysis whose audit entry cannot be written has not ended', async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, 'store.sqlite');
    await expectNoHalves(openSqliteStore(path), () => {
      const beside = new Sqlite(path);
      beside.exec("CREATE TRIGGER refuse BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'refused'); END");
      beside.close();
      return Promise.resolve();
    });
  });
});

describePostgres('in PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('an analysis whose audit entry cannot be written has not ended', async () => {
    const url = await database.freshUrl();
    await expectNoHalves(await openPostgresStore({ url, poolSize: 2 }, 'uk'), async () => {
      const beside = new pg.Client(url);
      await beside.connect();
      await beside.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse()`);
      await beside.end();
    });
  });
});
