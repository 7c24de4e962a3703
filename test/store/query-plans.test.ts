/** How the engines find what a request or a worker needs: by an index. The statements are those that the store really runs. */
import { expect, jest, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { hashSecret } from '../../src/domain/credential.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { withDataDir } from '../support/process.ts';
import { addCase, buildCase } from '../support/tenants.ts';
import * as fixtures from './conformance/fixtures.ts';
import { recheckFixture, takeDue } from './conformance/rechecks.ts';

const { ended, minute, newFile, settingFixture, take, taken } = fixtures;

/** Calls every method that requests of the API call. */
async function serve(store: Store, clear = (): unknown => undefined): Promise<void> {
  const { organisationId, update } = await settingFixture(store, 1);
  const caseId = await addCase(store, organisationId, buildCase(['analysing']));
  await store.findCase(organisationId, caseId);
  clear();
  await store.findCredential(hashSecret('x'), caseId);
  await store.findFeatures(organisationId);
  await store.readVerificationSetting(organisationId);
  await update(true);
  await store.findCaseText(organisationId, caseId);
}

/** Calls every method that a worker calls again and again. */
async function workThrough(store: Store): Promise<void> {
  const { add, begin } = await fixtures.caseFixture(store);
  await add(newFile('same'));
  const fileId = await fixtures.analyse(store);
  await add(newFile('same'));
  await store.takeAnalysis({ at: taken, leaseMilliseconds: minute });
  const { lease } = await begin('other');
  await store.renewLease(lease, { at: taken, leaseMilliseconds: minute });
  await store.releaseLease(lease);
  await store.failAnalysis((await take(store)).lease, { failure: fixtures.failure, at: ended });
  await store.countWaitingAnalyses(taken);
  await store.readAnalysis(fileId);
  await askAgain(store);
  await store.pruneCachedResults({ at: ended, askedSince: taken, limit: 10 });
  await store.listContents(7);
  await store.removeUnnamed([fixtures.sha256('same')], () => undefined);
}

async function askAgain(store: Store): Promise<void> {
  const { analyse: analyseFile } = await recheckFixture(store);
  await analyseFile(newFile('provisional'));
  const again = async () => (await takeDue(store, { leaseMilliseconds: minute / 2 })).lease;
  await store.releaseRecheck(await again(), ended);
  const lease = await again();
  await store.renewRecheck(lease, { at: ended, leaseMilliseconds: minute / 2 });
  await store.saveRecheck(lease, { laterEvidence: [], dueAfterMilliseconds: fixtures.noTime, at: ended });
  await store.saveRecheck(await again(), { laterEvidence: [], dueAfterMilliseconds: undefined, at: ended });
}

/** So many that an index is cheaper than a scan, where there is one. Their analyses have ended. */
const many = 5000;
const at = `'2026-01-01T00:00:00.000Z'`;
const fill = (numbers: string, hash: string, owner: string) => `
  CREATE TEMPORARY TABLE numbers AS ${numbers};
  INSERT INTO organisation (organisation_id, name, created_at) SELECT 'o' || n, 'name ' || n, ${at} FROM numbers;
  INSERT INTO organisation_feature SELECT 'o' || n, 'verification' FROM numbers;
  INSERT INTO credential (credential_id, organisation_id, kind, role, secret_sha256, created_at)
    SELECT 'c' || n, 'o' || n, 'api-key', 'owner', ${hash}, ${at} FROM numbers;
  INSERT INTO case_record SELECT 'k' || n, 'o' || n, NULL, '{}', NULL, ${at}, ${at} FROM numbers;
  INSERT INTO case_file SELECT 'k' || n, ${at}, 'f' || n, '', '', '', '', NULL FROM numbers;
  INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256, result)
    SELECT 'f' || n, ${owner}, ${at}, ${hash}, '{}' FROM numbers;
  INSERT INTO evidence_recheck (file_id, organisation_id, due_at)
    SELECT 'f' || n, ${owner}, '2027-01-01T00:00:00.000Z' FROM numbers;
  INSERT INTO cached_analysis_result SELECT 'o' || n, ${hash}, '{}', ${at} FROM numbers;`;
const onSqlite = `
  WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${many}) SELECT n FROM counted`;
const onPostgres = `SELECT n FROM generate_series(1, ${many}) n`;

// Of a handful of rows: reading them all is the quickest way.
const small = 'role|role_permission|company_register';
const scan = "SELECT 1 FROM case_record WHERE label = 'x'";

test.each([
  ['never gathered', ''],
  ['gathered', 'ANALYZE'],
])('SQLite finds each row by an index, with statistics that were %s', async (_, gathering) => {
  await withDataDir(async (dataDir) => {
    const path = `${dataDir}/store.sqlite`;
    await openSqliteStore(path).close();
    const beside = new Sqlite(path);
    beside.exec(fill(onSqlite, 'randomblob(32)', "'o1'") + gathering);
    const prepare = jest.spyOn(Sqlite.prototype, 'prepare');
    const store = openSqliteStore(path);
    await serve(store);
    await workThrough(store);
    const prepared = new Set(prepare.mock.calls.map(([source]) => source.trim()));
    prepare.mockRestore();
    const statements = [...prepared].filter((source) => /^(select|update|delete)(?!.* WHERE false$)/i.test(source));
    expect(statements.length).toBeGreaterThanOrEqual(45);
    const explain = (statement: string) => {
      const source = statement.replaceAll(/\$\d/g, '?');
      const explained = beside.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`);
      const plan = explained.all(...[...source.matchAll(/\?/g)].map(() => null));
      return plan.map(({ detail }) => detail).join('\n');
    };
    expect(explain(scan)).toBe('SCAN case_record');
    for (const source of statements) {
      const plan = explain(source);
      // Whatever others have waiting before it, the next file is the first of its range.
      if (/"organisation_id" > \? and/.test(source))
        expect(plan).toMatch(
          /(analysis_to_take|evidence_recheck_in_turn) \(organisation_id>\? AND organisation_id<\?\)/,
        );
      // What has not ended is read in the order of taking; nothing else is read in a row.
      const inOrder = '\\w+ USING (COVERING )?INDEX (analysis_to_take|evidence_recheck_\\w+)';
      const allowed = [inOrder, '\\(subquery', 'f', 'part', 'CONSTANT', small];
      const others = plan.replaceAll(new RegExp(`SCAN (${allowed.join('|')})\\b`, 'g'), '');
      expect([source, others]).toEqual([source, expect.not.stringMatching(/SCAN|TEMP B-TREE/)]);
    }
    beside.close();
    await store.close();
  });
});

describeDatabase('PostgreSQL', (database) => {
  /** Runs statements of a store on a database that many use, and gives those with parameters. */
  async function statementsOf(work: (store: Store, clear: () => void) => Promise<unknown>) {
    const url = await database.freshUrl();
    const store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await work(store, () => query.mockClear());
    const statements = query.mock.calls
      .map(([first]) => first as unknown as { name: string; text: string; values: unknown[] })
      .filter(({ text, values }) => Array.isArray(values) && !text.startsWith('LOCK'));
    query.mockRestore();
    await store.close();
    const beside = new pg.Client(url);
    await beside.connect();
    await beside.query(`${fill(onPostgres, 'sha256(n::text::bytea)', "'o' || n")} DROP TABLE numbers; ANALYZE`);
    const explain = async (text: string, values: unknown[] = []) => {
      const { rows } = await beside.query<Record<'QUERY PLAN', string>>(`EXPLAIN ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    return { statements, beside, explain };
  }

  test('finds each row by an index', async () => {
    const { statements, beside, explain } = await statementsOf(async (store) => {
      await serve(store);
      await workThrough(store);
    });
    const found = new Map(statements.map(({ text, values }) => [text, values]));
    expect(found.size).toBeGreaterThan(45);
    expect(await explain(scan)).toContain('Seq Scan on case_record');
    for (const [text, values] of found) {
      const plan = await explain(text, values);
      const others = plan.replaceAll(new RegExp(`Seq Scan on (${small})\\b`, 'g'), '');
      expect([text, others]).toEqual([text, expect.not.stringContaining('Seq Scan')]);
      if (/from "(analysis|evidence_recheck)" .* limit /.test(text))
        expect(plan).toMatch(/Index (Only )?Scan using (analysis_to_take|evidence_recheck_\w+)/);
      // Whatever others have waiting before it, the next file is the first of its range.
      if (/from "analysis" .* skip locked/.test(text))
        expect(plan).toMatch(/Index Cond: .*organisation_id.* > .*organisation_id.* < /);
    }
    await beside.end();
  });

  test('has each statement of a request bound to one organisation, and prepared', async () => {
    const { statements, beside } = await statementsOf(serve);
    expect(statements).toHaveLength(5);
    const expected = [
      expect.stringMatching(/organisation_id|update_verification_settings/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ];
    for (const { text, name } of statements) expect([text, name]).toEqual(expected);
    await beside.end();
  });

  /** What EXPLAIN does not show: the statements of a function. PostgreSQL counts them for the transaction in which they run. */
  test('updates the setting by indexes', async () => {
    const { beside } = await statementsOf(() => Promise.resolve());
    const update = { credential_ids: ['c1'], organisation_ids: ['o1'], organisation_id: 'o1', enabled: true, id: 'e1' };
    const entry = {
      occurred_at: '2026-01-01T00:00:00.000Z',
      credential_id: 'c1',
      action: 'a',
      after: '{}',
      request_id: 'r',
    };
    const call = (expected: readonly string[]) =>
      beside.query<{ held: string[] }>('SELECT held FROM update_verification_settings($1)', [
        JSON.stringify([{ ...update, ...entry, expected }]),
      ]);
    await beside.query('BEGIN');
    const { rows } = await call([]);
    expect((await call(rows[0]?.held ?? [])).rows).toEqual([{ held: null }]);
    const scanned = await beside.query('SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0');
    await beside.query('ROLLBACK');
    expect(scanned.rows).toEqual([{ relname: 'role_permission' }]);
    await beside.end();
  });
});
