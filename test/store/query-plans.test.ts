/**
 * How the engines find what a request needs: by an index, and with as many statements for many files as for few. The
 * statements are those that the store really runs while the API is called.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { CaseTexts } from '../../src/store/case-texts/case-texts.ts';
import { postgresCaseSource } from '../../src/store/postgres/case-source.ts';
import { Connection as PostgresConnection } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { requestStore as postgresRequests } from '../../src/store/postgres/requests.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.ts';
import { type Access, authorisedAccess } from '../../src/store/sqlite/access.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { requestStore as sqliteRequests } from '../../src/store/sqlite/requests.ts';
import type { Store } from '../../src/store/store.ts';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { describePostgres } from '../support/describe-postgres.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { saveResult } from './conformance/fixtures.ts';

/** One statement, in the form in which its engine can explain it. */
interface Ran {
  text: string;
  values: unknown[];
}

let ran: Ran[] = [];
/** The store that the server of the test works with. */
let watched: Store;
const control = /^\s*(BEGIN|COMMIT|PREPARE|ROLLBACK|SAVEPOINT|RELEASE|SELECT set_config|PRAGMA data_version|--)/;
const note = (text: string, values: unknown[] = []) => {
  for (const statement of text.split(';')) if (!control.test(statement)) ran.push({ text: statement, values });
};

/** Calls each operation, and gives the statements of each call. */
async function callAll(api: Harness): Promise<Map<string, Ran[]>> {
  const organisation = await addOrganisation(api.store);
  await saveResult(api.store, organisation, 'content');
  const key = { 'x-api-key': await addApiKey(api.store, organisation, 'owner') };
  const token = { authorization: `Bearer ${await addAccessToken(api.store, organisation)}` };
  const few = await addCase(api.store, organisation, buildCase(['analysing']));
  const many = await addCase(api.store, organisation, buildCase(Array<string>(60).fill('analysing')));
  const statements = new Map<string, Ran[]>();
  const call = async (name: string, ...given: Parameters<Harness['call']>) => {
    ran = [];
    expect((await api.call(...given)).status).toBe(200);
    statements.set(name, ran);
    ran = [];
  };
  await call('reading the setting', 'GET', settingPath, { headers: key });
  await call('changing the setting', 'PUT', settingPath, { headers: key, body: { enabled: true } });
  await call('a case of one file', 'GET', `/cases/${few}`, { headers: token });
  await call('a case of many files', 'GET', `/cases/${many}`, { headers: token });
  await call('a case that was read before', 'GET', `/cases/${many}`, { headers: token });
  ran = [];
  await watched.findFeatures(organisation);
  statements.set('the features of a token from an identity provider', ran);
  return statements;
}

/**
 * What holds for the statements of an engine; `scans` tells in which ways one goes through a whole table, `ofKnownCase` how
 * many a case takes that was read before.
 */
function describePlans(
  open: () => Promise<Harness>,
  scans: (statement: Ran) => Promise<string[]>,
  ofKnownCase: number,
): void {
  let api: Harness;
  let statements: Map<string, Ran[]>;
  beforeAll(async () => {
    api = await open();
    statements = await callAll(api);
  });
  afterAll(() => api.close());

  test('no statement goes through a whole table', async () => {
    const all = [...statements.values()].flat();
    expect(all.length).toBeGreaterThanOrEqual(9);
    for (const statement of all) expect([statement.text, await scans(statement)]).toEqual([statement.text, []]);
  });

  test('a case of many files takes as many statements as one of one file, and a known case or the setting at most one', () => {
    const count = (name: string) => statements.get(name)?.length ?? 0;
    expect(count('a case of many files')).toBe(count('a case of one file'));
    expect(count('a case that was read before')).toBeLessThanOrEqual(count('a case of one file'));
    expect(count('a case that was read before')).toBe(ofKnownCase);
    expect(count('reading the setting')).toBe(1);
  });
}

describe('on SQLite', () => {
  let database: Sqlite.Database;
  const explain = (statement: Ran) => {
    const lines = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement.text}`).all();
    return lines.map(({ detail }) => detail).filter((detail) => /^SCAN (?!\(subquery|CONSTANT ROW)/.test(detail));
  };
  const observed = (store: Store): Store => {
    database = new Sqlite(store.name, {
      verbose: (text) => {
        note(String(text));
      },
    });
    database.exec('PRAGMA foreign_keys = ON');
    const connection = new SqliteConnection(database);
    const texts = new CaseTexts(sqliteCaseSource(connection), '');
    const requests = sqliteRequests(connection);
    const on = (access: Access) => ({ findCaseText: texts.find.bind(texts), ...requests(access) }) as Store;
    const authorised = authorisedAccess(connection);
    watched = on(connection);
    return { ...watched, authorisedBy: (authorisation) => on(authorised(authorisation)) };
  };
  afterAll(() => {
    database.close();
  });
  describePlans(
    () => startHarness({ wrapStore: observed }),
    (statement) => Promise.resolve(explain(statement)),
    0,
  );

  test('a scan is told as one', () => {
    expect(explain({ text: "SELECT 1 FROM case_record WHERE label = 'x'", values: [] })).toEqual(['SCAN case_record']);
  });
});

/** So many that PostgreSQL finds an index cheaper than a scan, where there is one. */
const enoughRows = `
  INSERT INTO organisation SELECT 'o' || i, 'o' || i, '2026-01-01T00:00:00.000Z' FROM generate_series(1, 5000) i;
  INSERT INTO organisation_feature SELECT 'o' || i, 'verification' FROM generate_series(1, 5000) i;
  INSERT INTO credential (credential_id, organisation_id, kind, role, secret_sha256, created_at)
    SELECT 'c' || i, 'o' || i, 'api-key', 'owner', sha256(i::text::bytea), '2026-01-01T00:00:00.000Z'
    FROM generate_series(1, 5000) i;
  INSERT INTO cached_analysis_result
    SELECT 'o' || i, sha256(i::text::bytea), '{}', '2026-01-01T00:00:00.000Z' FROM generate_series(1, 5000) i;
  INSERT INTO case_record (case_id, organisation_id, metadata, created_at, updated_at)
    SELECT 'k' || i, 'o' || i, '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    FROM generate_series(1, 5000) i;
  INSERT INTO case_file (case_id, uploaded_at, file_id, label, thumbnail_url, mime_type, analysis_status)
    SELECT 'k' || i % 5000 + 1, '2026-01-01T00:00:00.000Z', 'f' || i, 'label', 'url', 'type', 'analysing'
    FROM generate_series(1, 25000) i;
  ANALYZE`;

describePostgres('on PostgreSQL', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let explainer: pg.Client;
  const open = async () => {
    const store = await openPostgresStore({ url: database.url, poolSize: 2 }, 'uk');
    await database.query(enoughRows);
    explainer = new pg.Client(database.url);
    await explainer.connect();
    return store;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all([pool.end(), explainer.end()]);
    await database.drop();
  });
  /** The few rows of a role are on one page; no plan is better than reading it. */
  const scanOfTable = /Seq Scan on (?!role_permission)\w+/g;
  const explain = async ({ text, values }: Ran) => {
    const lines = await explainer.query<Record<string, unknown>>(`EXPLAIN ${text}`, values);
    return (
      lines.rows
        .map((row) => Object.values(row).join())
        .join('\n')
        .match(scanOfTable) ?? []
    );
  };
  const observed = (): Store => {
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (config: { text: string; values?: unknown[] }) => unknown;
      client.query = ((config: { text: string; values?: unknown[] }) => {
        note(config.text, config.values);
        return query(config);
      }) as never;
    });
    const observedDatabase = { pool, name: 'of the test', pooled: false };
    const connection = new PostgresConnection(observedDatabase);
    const texts = new CaseTexts(postgresCaseSource(connection), '');
    const on = (access: PostgresConnection) =>
      ({ findCaseText: texts.find.bind(texts), ...postgresRequests(access) }) as Store;
    watched = on(connection);
    const authorisedBy: Store['authorisedBy'] = (authorisation) =>
      on(new PostgresConnection(observedDatabase, authorisation));
    return { ...watched, authorisedBy };
  };
  describePlans(() => startHarness({ wrapStore: observed, openStore: open }), explain, 1);

  /** What EXPLAIN does not show: the statements of a function. PostgreSQL counts them for the transaction in which they run. */
  test('an update goes through no whole table', async () => {
    const values = [['c1'], ['o1'], [], 'o1', true, 'e1', '2026-01-01T00:00:00.000Z', 'c1', 'action', '{}', 'request'];
    const call = 'SELECT held FROM update_verification_setting($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';
    await explainer.query('BEGIN');
    const { rows } = await explainer.query<{ held: string[] }>(call, values);
    values[2] = rows[0]?.held ?? [];
    expect((await explainer.query(call, values)).rows).toEqual([{ held: null }]);
    const scanned = await explainer.query('SELECT relname FROM pg_stat_xact_user_tables WHERE seq_scan > 0');
    await explainer.query('ROLLBACK');
    expect(scanned.rows).toEqual([{ relname: 'role_permission' }]);
  });

  test('a scan is told as one', async () => {
    const scan = { text: "SELECT 1 FROM case_record WHERE label = 'x'", values: [] };
    expect(await explain(scan)).toEqual(['Seq Scan on case_record']);
  });
});
