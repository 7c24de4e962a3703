/** Updates of one moment share a transaction, and yet each stands or falls alone. */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';
import { at, settingFixture, unknown } from './conformance/fixtures.ts';

describeDatabase('updates of one moment, on PostgreSQL', (database) => {
  const own = eachPostgresStore(database);
  const fixtures = async () => Promise.all([1, 2, 3].map((cached) => settingFixture(own.store, cached)));
  const transactions = async () =>
    (await own.beside.query<{ ids: string }>('SELECT count(DISTINCT xmin::text) AS ids FROM audit_entry')).rows[0]?.ids;

  test('share one transaction, each with its effects', async () => {
    const tenants = await fixtures();
    const entries = await Promise.all([...tenants.map(({ update }) => update(true)), tenants[0]?.update(false)]);
    expect(entries).toMatchObject([
      ...tenants.map(({ organisationId }, index) => ({
        organisation_id: organisationId,
        before: { enabled: false },
        after: { enabled: true },
        cleared: index + 1,
      })),
      { before: { enabled: true }, after: { enabled: false }, cleared: 0 },
    ]);
    expect(await own.store.listAuditEntries({ limit: 10 })).toEqual(entries.toReversed());
    expect(await transactions()).toBe('1');
  });

  test('do not wait for one whose organisation somebody holds', async () => {
    const [held, ...others] = await fixtures();
    await own.beside.query('BEGIN');
    await own.beside.query('SELECT FROM organisation WHERE organisation_id = $1 FOR UPDATE', [held?.organisationId]);
    const waiting = held?.update(true);
    const made = await Promise.all(others.map(({ update }) => update(true)));
    expect(made.map(({ cleared }) => cleared)).toEqual([2, 3]);
    expect(await isBlocked(database, Promise.resolve(waiting))).toBe(true);
    await own.beside.query('COMMIT');
    expect(await waiting).toMatchObject({ before: { enabled: false }, cleared: 1 });
    expect(await own.store.listAuditEntries({ limit: 10 })).toHaveLength(3);
  });

  test.each([
    ['', ''],
    [', also where transactions are to see one moment', ' -c default_transaction_isolation=serializable'],
  ])('wait for a cached result that is being saved, and clear it too%s', async (_, setting) => {
    const { organisationId, credentialId } = await settingFixture(own.store, 1);
    const url = new URL(own.url);
    url.searchParams.set('options', `${url.searchParams.get('options') ?? ''}${setting}`);
    const store = await openPostgresStore({ url: url.href, poolSize: 1 }, 'uk');
    const update = (enabled: boolean) =>
      store.updateVerificationSetting({ organisationId, enabled, credentialId, requestId: 'r', occurredAt: at });
    await own.beside.query('BEGIN');
    await own.beside.query(
      "INSERT INTO cached_analysis_result VALUES ($1, sha256('x'), '{}', '2026-03-02T12:00:00.000Z')",
      [organisationId],
    );
    const updated = update(true);
    expect(await isBlocked(database, updated)).toBe(true);
    await own.beside.query('COMMIT');
    expect(await updated).toMatchObject({ cleared: 2 });
    expect(await own.store.countCachedAnalysisResults(organisationId)).toBe(0);
    await store.close();
  });

  test('are made though others fail or are refused', async () => {
    const [failing, refused, good] = (await fixtures()) as [Fixture, Fixture, Fixture];
    await own.beside.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON audit_entry FOR EACH ROW
      WHEN (NEW.organisation_id = '${failing.organisationId}') EXECUTE FUNCTION fail()`);
    const refusal = new Error('refused');
    const change = { enabled: true, requestId: 'r', occurredAt: at };
    const authorised = own.store.authorisedBy({
      callers: [refused],
      check: () => {
        throw refusal;
      },
    });
    const outcomes = await Promise.allSettled([
      failing.update(true),
      authorised.updateVerificationSetting({ ...change, ...refused }),
      own.store.updateVerificationSetting({ ...change, ...good, organisationId: unknown }),
      good.update(true),
    ]);
    expect(outcomes).toMatchObject([
      { reason: expect.any(pg.DatabaseError) as unknown },
      { reason: refusal },
      { reason: { name: 'NotFoundError' } },
      { value: { organisation_id: good.organisationId, cleared: 3 } },
    ]);
    const entries = await own.store.listAuditEntries({ limit: 10 });
    expect(entries.map(({ organisation_id: id }) => id)).toEqual([good.organisationId]);
    expect(await own.store.readVerificationSetting(failing.organisationId)).toBe(false);
  });
});

type Fixture = Awaited<ReturnType<typeof settingFixture>>;
