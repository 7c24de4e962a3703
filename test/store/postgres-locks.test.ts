/** In PostgreSQL, the order of concurrent transactions is a matter of locks; SQLite lets one writer in at a time. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { HeldRights } from '../../src/store/store.ts';
import type { Lease } from '../../src/store/parts/leases.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';
import { addOrganisation, buildCase, setFeature } from '../support/tenants.ts';
import * as fixtures from './conformance/fixtures.ts';
import { recheckFixture, takeDue } from './conformance/rechecks.ts';

const { analyse, at, caseFixture, ended, importRegister, minute, newFile, resultOf, settingFixture, take, taken } =
  fixtures;

describeDatabase('in PostgreSQL', (database) => {
  const own = eachPostgresStore(database);
  const expectBlocked = async (work: Promise<unknown>, transactions?: number) => {
    expect(await isBlocked(database, work, transactions)).toBe(true);
  };
  type Works<T> = { [Place in keyof T]: () => Promise<T[Place]> };
  /** Runs statements beside the store, and one after the other what has to wait until they are committed. */
  const waitingFor = async <T extends unknown[]>(statements: string, ...works: Works<T>): Promise<T> => {
    await own.beside.query(`BEGIN; ${statements}`);
    const waiting: Promise<unknown>[] = [];
    for (const work of works) {
      waiting.push(work());
      await expectBlocked(Promise.all(waiting), waiting.length);
    }
    await own.beside.query('COMMIT');
    return Promise.all(waiting) as Promise<T>;
  };
  const changeOfSetting = (organisationId: string) => `
    SELECT FROM organisation WHERE organisation_id = '${organisationId}' FOR UPDATE;
    UPDATE organisation SET verification_enabled = true, verification_changes = verification_changes + 1;
    DELETE FROM cached_analysis_result`;
  const countDeadlocks = async (): Promise<unknown> =>
    (await database.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')).rows;
  let deadlocks: unknown;
  beforeEach(async () => {
    deadlocks = await countDeadlocks();
  });
  afterEach(async () => {
    expect(await countDeadlocks()).toEqual(deadlocks);
  });

  const next = () => own.store.takeAnalysis({ at: taken, leaseMilliseconds: minute });
  const complete = (lease: Lease) => () =>
    own.store.completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });

  test('taking a file waits for an update of the setting, and goes by what it left', async () => {
    const { organisationId, add } = await caseFixture(own.store);
    await add(newFile('same'));
    await analyse(own.store);
    await add(newFile('same'));
    const [file] = await waitingFor(changeOfSetting(organisationId), next);
    expect(file).toMatchObject({ analysis_status: 'analysing', verification_enabled: true });
  });

  test('taking a file waits for the loss of the feature, and goes by what it left', async () => {
    const { organisationId, add, update } = await caseFixture(own.store);
    await update(true);
    await add(newFile());
    // Holds up the loss at its last statement.
    const loss = () => setFeature(own.store, organisationId, false);
    const [, file] = await waitingFor('LOCK TABLE audit_entry', loss, next);
    expect(file).toMatchObject({ analysis_status: 'analysing', verification_enabled: false });
  });

  test('completing an analysis waits for an update of the setting, and then caches nothing', async () => {
    const { organisationId, begin } = await caseFixture(own.store);
    const { lease } = await begin();
    const [completed] = await waitingFor(changeOfSetting(organisationId), complete(lease));
    expect(completed).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
  });

  type Fixture = Awaited<ReturnType<typeof caseFixture>>;
  const clearing: [string, (fixture: Fixture) => Promise<unknown>][] = [
    ['the loss of the feature', ({ organisationId }) => setFeature(own.store, organisationId, false)],
    ['an update of the setting', ({ update }) => update(false)],
  ];
  test.each(clearing)('%s waits for an analysis that is being completed, and clears its result', async (_, clear) => {
    const fixture = await caseFixture(own.store);
    await fixture.update(true);
    const { lease } = await fixture.begin();
    // Holds up the completion behind the point at which it has looked at the setting.
    const hold = 'SELECT FROM case_file FOR UPDATE';
    const outcomes = await waitingFor(hold, complete(lease), () => clear(fixture));
    expect(outcomes).toMatchObject([{ analysis_status: 'analysis_complete' }, { cleared: 1 }]);
    expect(await own.store.countCachedAnalysisResults(fixture.organisationId)).toBe(0);
  });

  test('a feature that is given, taken away and used to update the setting at once causes no deadlock', async () => {
    const { organisationId, credentialId, change, update } = await settingFixture(own.store, 0);
    const authorised = own.store.authorisedBy({ callers: [{ credentialId, organisationId }], check: () => undefined });
    const changes = Array.from({ length: 20 }, (_, index) => [
      setFeature(own.store, organisationId, index % 3 === 0),
      authorised.updateVerificationSetting({ ...change, enabled: index % 2 === 1 }),
      update(index % 2 === 0),
    ]);
    await Promise.all(changes.flat());
    expect(await own.store.listAuditEntries({ organisationId, limit: 100 })).toHaveLength(60);
  });

  test('an addition waits for the case to be locked, and is refused', async () => {
    const { organisationId, caseId, add } = await caseFixture(own.store);
    const adding = waitingFor(`UPDATE case_record SET locked_at = '${ended}'`, () => add(newFile()));
    await expect(adding).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await own.store.findCase(organisationId, caseId)).toMatchObject({ files: [] });
  });

  test('later evidence waits for an update of the setting, and then is not saved', async () => {
    const { organisationId, analyse: analyseFile } = await recheckFixture(own.store);
    const fileId = await analyseFile();
    const { lease } = await takeDue(own.store);
    const saved = await waitingFor(changeOfSetting(organisationId), () =>
      own.store.saveRecheck(lease, { laterEvidence: [], dueAfterMilliseconds: undefined, at: ended }),
    );
    expect(saved).toEqual(['given_up']);
    expect(await own.store.readAnalysis(fileId)).toMatchObject({ later_evidence: null, recheck_due_at: null });
  });

  test('a worker passes over a file that another takes, or asks about, at this moment', async () => {
    const { add, analyse: analyseFile } = await recheckFixture(own.store);
    const [due, next] = [await analyseFile(newFile('a'), -minute), await analyseFile(newFile('b'))];
    const [first, second] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
    await own.beside.query(`
      BEGIN;
      SELECT FROM evidence_recheck WHERE file_id = '${due}' FOR UPDATE;
      SELECT FROM analysis WHERE file_id = '${String(first)}' FOR UPDATE`);
    expect([await take(own.store), await takeDue(own.store)]).toMatchObject([{ file_id: second }, { file_id: next }]);
    await own.beside.query('ROLLBACK');
    expect([await take(own.store), await takeDue(own.store)]).toMatchObject([{ file_id: first }, { file_id: due }]);
  });

  /** A right is not withdrawn between the check of a write and its commit: one waits for the other. */
  const authorisedUpdate = async () => {
    const tenant = await settingFixture(own.store, 0);
    const told: (HeldRights | undefined)[] = [];
    const authorised = own.store.authorisedBy({ callers: [tenant], check: ([rights]) => void told.push(rights) });
    return { ...tenant, update: () => authorised.updateVerificationSetting(tenant.change), told: () => told.at(-1) };
  };

  const withoutWrite = "DELETE FROM role_permission WHERE permission = 'organisation_settings:write'";
  test.each([
    ['a revocation', `UPDATE credential SET revoked_at = '${at}'`, { credential: { revoked_at: at } }],
    ['the loss of a permission', withoutWrite, { permissions: ['organisation_settings:read'] }],
    ['the loss of a feature', 'DELETE FROM organisation_feature', { features: [] }],
  ])('a write waits for %s of its caller that is being made, and is told of it', async (_, statement, expected) => {
    const { update, told } = await authorisedUpdate();
    await waitingFor(statement, update);
    expect(told()).toMatchObject(expected);
  });

  test('a write is waited for by a revocation, and by the loss of a permission or a feature', async () => {
    const { organisationId, credentialId, update } = await authorisedUpdate();
    await waitingFor(
      'SELECT FROM organisation FOR UPDATE',
      update,
      () => own.store.revokeCredential(credentialId, at),
      () => own.store.setPermission('owner', 'organisation_settings:write', false),
      () => setFeature(own.store, organisationId, false),
    );
  });

  const threeTenants = () => Promise.all([1, 2, 3].map((cached) => settingFixture(own.store, cached)));

  test('updates of one moment share one transaction, each with its effects', async () => {
    const tenants = await threeTenants();
    const entries = await Promise.all([...tenants.map(({ update }) => update(true)), tenants[0]?.update(false)]);
    const [off, on] = [{ enabled: false }, { enabled: true }];
    expect(entries).toMatchObject([
      ...tenants.map(({ organisationId: organisation_id }, index) => ({
        organisation_id,
        before: off,
        cleared: index + 1,
      })),
      { before: on, after: off, cleared: 0 },
    ]);
    expect(entries.slice(0, -1).map((entry) => entry?.after)).toEqual([on, on, on]);
    expect(await own.store.listAuditEntries({ limit: 10 })).toEqual(entries.toReversed());
    const transactions = await own.beside.query('SELECT count(DISTINCT xmin::text) AS count FROM audit_entry');
    expect(transactions.rows).toEqual([{ count: '1' }]);
  });

  test('updates do not wait for one of the same moment whose organisation somebody holds', async () => {
    const [held, ...others] = await threeTenants();
    await own.beside.query('BEGIN');
    await own.beside.query('SELECT FROM organisation WHERE organisation_id = $1 FOR UPDATE', [held?.organisationId]);
    const waiting = held?.update(true);
    const made = await Promise.all(others.map(({ update }) => update(true)));
    expect(made.map(({ cleared }) => cleared)).toEqual([2, 3]);
    await expectBlocked(Promise.resolve(waiting));
    await own.beside.query('COMMIT');
    expect(await waiting).toMatchObject({ before: { enabled: false }, cleared: 1 });
    expect(await own.store.listAuditEntries({ limit: 10 })).toHaveLength(3);
  });

  test.each(['', ' -c default_transaction_isolation=serializable'])(
    'an update waits for a cached result that is being saved, and clears it too, with the options "%s"',
    async (setting) => {
      const { organisationId, change } = await settingFixture(own.store, 1);
      const url = new URL(own.url);
      url.searchParams.set('options', `${url.searchParams.get('options') ?? ''}${setting}`);
      const store = await openPostgresStore({ url: url.href, poolSize: 1 }, 'uk');
      const insertion = `INSERT INTO cached_analysis_result VALUES ('${organisationId}', sha256('x'), '{}', '${at}')`;
      const [updated] = await waitingFor(insertion, () => store.updateVerificationSetting(change));
      expect(updated).toMatchObject({ cleared: 2 });
      expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
      await store.close();
    },
  );

  test('imports of the same cases in another order do not wait for each other', async () => {
    const organisationId = await addOrganisation(own.store);
    const cases = ['1', '5', '9'].map((digit) => ({ ...buildCase([]), case_id: randomUUID().replace(/^./, digit) }));
    await own.beside.query('BEGIN');
    const insertion = "INSERT INTO case_record VALUES ($1, $2, NULL, '{}', NULL, $3, $3)";
    await own.beside.query(insertion, [cases[1]?.case_id, organisationId, at]);
    const imports = Promise.allSettled([
      own.store.importCases(organisationId, cases),
      own.store.importCases(organisationId, cases.toReversed()),
    ]);
    await expectBlocked(imports, 2);
    await own.beside.query('ROLLBACK');
    const [done, refused] = (await imports).toSorted((a, b) => (a.status < b.status ? -1 : 1));
    expect(done).toMatchObject({ status: 'fulfilled' });
    expect(refused).toMatchObject({ reason: { name: 'ConflictError', place: '[0].case_id' } });
    expect(await own.store.listCases({ limit: 10 })).toHaveLength(3);
  });

  /** Begins an import of one company. */
  const importing = (number: string, onStored?: () => unknown) =>
    importRegister(own.store, [{ company_number: number, name: 'ACME LTD', status: 'Active', line: 2 }], {}, onStored);

  test('two imports of a register never wait for each other, when one ends while the other begins', async () => {
    const { promise: gate, resolve: letGo } = Promise.withResolvers<unknown>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<unknown>();
    const first = importing('01234567', () => {
      begin(undefined);
      return gate;
    });
    await begun;
    await own.beside.query('BEGIN; LOCK TABLE company_register IN ROW EXCLUSIVE MODE');
    const second = importing('01234568');
    await expectBlocked(second);
    letGo(undefined);
    await expectBlocked(Promise.allSettled([second, first]), 2);
    await own.beside.query('COMMIT');
    await expect(first).rejects.toThrow('Another import');
    await second;
  });

  test('two imports never wait for each other, when one removes an earlier register while the other begins', async () => {
    await importing('01234567');
    const [second, third] = [() => importing('01234568'), () => importing('01234569')];
    await waitingFor('SELECT FROM registry_company FOR UPDATE', second, third);
    expect(await own.store.findCompany('01234569')).toMatchObject({ name: 'ACME LTD' });
  });
});
