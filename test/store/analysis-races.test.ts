import { expect, test } from '@jest/globals';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';
import { setFeature } from '../support/tenants.ts';
import {
  analyse,
  caseFixture,
  ended,
  minute,
  newFile,
  resultOf,
  take,
  taken,
} from './conformance/analysis-fixtures.ts';
import { recheckFixture } from './conformance/rechecks.ts';
import { settingFixture } from './conformance/fixtures.ts';

// SQLite lets one writer in at a time. In PostgreSQL each of these orders is a matter of locks.
describeDatabase('in PostgreSQL', (database) => {
  const own = eachPostgresStore(database);
  const blocked = (work: Promise<unknown>, transactions?: number) => isBlocked(database, work, transactions);
  /** Changes the setting in a transaction that is still open. */
  const changeBeside = (organisationId: string) =>
    own.beside.query(`
      BEGIN;
      SELECT FROM organisation WHERE organisation_id = '${organisationId}' FOR UPDATE;
      UPDATE organisation SET verification_enabled = true, verification_changes = verification_changes + 1;
      DELETE FROM cached_analysis_result`);

  test('taking a file waits for an update of the setting, and goes by what it left', async () => {
    const { organisationId, add } = await caseFixture(own.store);
    await add(newFile('same'));
    await analyse(own.store);
    await add(newFile('same'));
    await changeBeside(organisationId);
    const taking = own.store.takeAnalysis({ at: taken, leaseMilliseconds: minute });
    expect(await blocked(taking)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await taking).toMatchObject({ analysis_status: 'analysing', verification_enabled: true });
  });

  test('taking a file waits for the loss of the feature, and goes by what it left', async () => {
    const { organisationId, add, update } = await caseFixture(own.store);
    await update(true);
    await add(newFile());
    // Holds up the loss at its last statement.
    await own.beside.query('BEGIN; LOCK TABLE audit_entry');
    const losing = setFeature(own.store, organisationId, false);
    expect(await blocked(losing)).toBe(true);
    const taking = own.store.takeAnalysis({ at: taken, leaseMilliseconds: minute });
    expect(await blocked(taking, 2)).toBe(true);
    await own.beside.query('COMMIT');
    await losing;
    expect(await taking).toMatchObject({ analysis_status: 'analysing', verification_enabled: false });
  });

  test('the loss of the feature waits for an analysis that is being completed, and clears its result', async () => {
    const { organisationId, add, update } = await caseFixture(own.store);
    await update(true);
    await add(newFile());
    const { lease } = await take(own.store);
    await own.beside.query('BEGIN; SELECT FROM case_file FOR UPDATE');
    const completing = own.store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
    expect(await blocked(completing)).toBe(true);
    const losing = setFeature(own.store, organisationId, false);
    expect(await blocked(losing, 2)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await completing).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await losing).toMatchObject({ cleared: 1 });
    expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('a feature that is given, taken away and used to update the setting at once causes no deadlock', async () => {
    const { organisationId, credentialId, update } = await settingFixture(own.store, 0);
    const counted = 'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()';
    const deadlocks = async () => (await own.beside.query<{ deadlocks: number }>(counted)).rows;
    const before = await deadlocks();
    const authorised = own.store.authorisedBy({ callers: [{ credentialId, organisationId }], check: () => undefined });
    const change = { organisationId, credentialId, requestId: 'r', occurredAt: ended };
    const changes = Array.from({ length: 20 }, (_, index) => [
      setFeature(own.store, organisationId, index % 3 === 0),
      authorised.updateVerificationSetting({ ...change, enabled: index % 2 === 1 }),
      update(index % 2 === 0),
    ]);
    await Promise.all(changes.flat());
    expect(await own.store.listAuditEntries({ organisationId, limit: 100 })).toHaveLength(60);
    expect(await deadlocks()).toEqual(before);
  });

  test('completing an analysis waits for an update of the setting, and then caches nothing', async () => {
    const { organisationId, add } = await caseFixture(own.store);
    await add(newFile());
    const { lease } = await take(own.store);
    await changeBeside(organisationId);
    const completing = own.store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
    expect(await blocked(completing)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await completing).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('an update of the setting waits for an analysis that is being completed, and clears its result', async () => {
    const { organisationId, add, update } = await caseFixture(own.store);
    await add(newFile());
    const { lease } = await take(own.store);
    // Holds up the completion behind the point at which it has looked at the setting.
    await own.beside.query('BEGIN; SELECT FROM case_file FOR UPDATE');
    const completing = own.store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
    expect(await blocked(completing)).toBe(true);
    const updating = update(true);
    expect(await blocked(updating, 2)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await completing).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await updating).toMatchObject({ cleared: 1 });
    expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('an addition waits for the case to be locked, and is refused', async () => {
    const { organisationId, caseId, add } = await caseFixture(own.store);
    await own.beside.query(`BEGIN; UPDATE case_record SET locked_at = '${ended}'`);
    const adding = add(newFile());
    expect(await blocked(adding)).toBe(true);
    await own.beside.query('COMMIT');
    await expect(adding).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await own.store.findCase(organisationId, caseId)).toMatchObject({ files: [] });
  });

  test('a worker passes over a file that another takes at this moment', async () => {
    const { add } = await caseFixture(own.store);
    const [first, second] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
    await own.beside.query(`BEGIN; SELECT FROM analysis WHERE file_id = '${String(first)}' FOR UPDATE`);
    expect(await take(own.store)).toMatchObject({ file_id: second });
    await own.beside.query('ROLLBACK');
    expect(await take(own.store)).toMatchObject({ file_id: first });
  });

  test('later evidence waits for an update of the setting, and then is not saved', async () => {
    const { organisationId, analyse: analyseFile } = await recheckFixture(own.store);
    const fileId = await analyseFile();
    const at = '2026-03-02T13:00:00.000Z';
    const file = await own.store.takeRecheck({ at, leaseMilliseconds: minute, after: '' });
    if (file?.status !== 'taken') throw new Error('there is a file to ask about');
    await changeBeside(organisationId);
    const saving = own.store.saveRecheck(file.lease, { laterEvidence: [], dueAfterMilliseconds: undefined, at });
    expect(await blocked(saving)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await saving).toBe('given_up');
    expect(await own.store.readAnalysis(fileId)).toMatchObject({ later_evidence: null, recheck_due_at: null });
  });

  test('a worker passes over a file that another asks about at this moment', async () => {
    const { analyse: analyseFile } = await recheckFixture(own.store);
    const [first, second] = [await analyseFile(newFile('a'), -minute), await analyseFile(newFile('b'))];
    await own.beside.query(`BEGIN; SELECT FROM evidence_recheck WHERE file_id = '${first}' FOR UPDATE`);
    const taking = { at: ended, leaseMilliseconds: minute, after: '' };
    expect(await own.store.takeRecheck(taking)).toMatchObject({ file_id: second });
    await own.beside.query('ROLLBACK');
    expect(await own.store.takeRecheck(taking)).toMatchObject({ file_id: first });
  });
});
