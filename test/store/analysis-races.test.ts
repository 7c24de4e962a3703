import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import type { Store } from '../../src/store/store.js';
import { createTestDatabase, describePostgres, type TestDatabase } from '../support/postgres.js';
import {
  analyse,
  caseFixture,
  ended,
  expires,
  newFile,
  resultOf,
  take,
  taken,
} from './conformance/analysis-fixtures.js';

// SQLite lets one writer in at a time. In PostgreSQL each of these orders is a matter of locks.
describePostgres('in PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  let store: Store;
  let beside: pg.Client;
  beforeEach(async () => {
    const url = await database.freshUrl();
    store = await openPostgresStore({ url, poolSize: 4 }, 'uk');
    beside = new pg.Client(url);
    await beside.connect();
  });
  afterEach(async () => {
    await beside.end();
    await store.close();
  });

  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  /** Whether the work comes to a point where so many transactions wait for a lock; false if it ends without. */
  const blocked = (work: Promise<unknown>, transactions = 1): Promise<boolean> => {
    const untilBlocked = async () => {
      while ((await database.query(waiting)).rowCount !== transactions) await sleep(20);
      return true;
    };
    return Promise.race([untilBlocked(), work.then(() => false)]);
  };
  /** Changes the setting in a transaction that is still open. */
  const changeBeside = (organisationId: string) =>
    beside.query(`
      BEGIN;
      SELECT FROM organisation WHERE organisation_id = '${organisationId}' FOR UPDATE;
      UPDATE organisation SET verification_enabled = true, verification_changes = verification_changes + 1;
      DELETE FROM cached_analysis_result`);

  test('taking a file waits for an update of the setting, and goes by what it left', async () => {
    const { organisationId, add } = await caseFixture(store);
    await add(newFile('same'));
    await analyse(store);
    await add(newFile('same'));
    await changeBeside(organisationId);
    const taking = store.takeAnalysis({ at: taken, leaseExpiresAt: expires });
    expect(await blocked(taking)).toBe(true);
    await beside.query('COMMIT');
    expect(await taking).toMatchObject({ analysis_status: 'analysing', verification_enabled: true });
  });

  test('completing an analysis waits for an update of the setting, and then caches nothing', async () => {
    const { organisationId, add } = await caseFixture(store);
    await add(newFile());
    const { lease } = await take(store);
    await changeBeside(organisationId);
    const completing = store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
    expect(await blocked(completing)).toBe(true);
    await beside.query('COMMIT');
    expect(await completing).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('an update of the setting waits for an analysis that is being completed, and clears its result', async () => {
    const { organisationId, add, update } = await caseFixture(store);
    await add(newFile());
    const { lease } = await take(store);
    // Holds up the completion behind the point at which it has looked at the setting.
    await beside.query('BEGIN; SELECT FROM case_file FOR UPDATE');
    const completing = store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
    expect(await blocked(completing)).toBe(true);
    const updating = update(true);
    expect(await blocked(updating, 2)).toBe(true);
    await beside.query('COMMIT');
    expect(await completing).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await updating).toMatchObject({ cleared: 1 });
    expect(await store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('an addition waits for the case to be locked, and is refused', async () => {
    const { organisationId, caseId, add } = await caseFixture(store);
    await beside.query(`BEGIN; UPDATE case_record SET locked_at = '${ended}'`);
    const adding = add(newFile());
    expect(await blocked(adding)).toBe(true);
    await beside.query('COMMIT');
    await expect(adding).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await store.findCase(organisationId, caseId)).toMatchObject({ files: [] });
  });

  test('a worker passes over a file that another takes at this moment', async () => {
    const { add } = await caseFixture(store);
    const [first, second] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
    await beside.query(`BEGIN; SELECT FROM analysis WHERE file_id = '${String(first)}' FOR UPDATE`);
    expect(await take(store)).toMatchObject({ file_id: second });
    await beside.query('ROLLBACK');
    expect(await take(store)).toMatchObject({ file_id: first });
  });
});
