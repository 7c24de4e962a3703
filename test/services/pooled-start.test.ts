/** What a server behind a pooler in transaction mode needs before it serves (`DATABASE_POOLER=transaction`). */
import { beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { CliHarness } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';

let database: TestDatabase;
/** Of the role of servers, to PostgreSQL itself. */
let url: string;
let pooler: PgBouncer;
let cli: CliHarness;
beforeEach(async () => {
  database = await createTestDatabase();
  url = await database.serverUrl(database.url);
  pooler = await startPgBouncer(url, ['pool_mode = transaction', 'default_pool_size = 1']);
  cli = await CliHarness.start();
});

const open = () => openPostgresStore({ url: pooler.url, poolSize: 2, pooled: true }, 'uk');
const migrate = (as: string, ...args: string[]) =>
  cli.run(['store', 'migrate', ...args], { environment: { DATABASE_URL: as, DATABASE_POOLER: 'transaction' } });
const name = () => new URL(url).pathname.slice(1);
const role = () => new URL(url).username;
const settingsOfRole = () =>
  database.query('SELECT setconfig FROM pg_db_role_setting WHERE setrole = $1::regrole', [role()]);

test('a role without the settings stops the start, until it was given them and the pooler connects anew', async () => {
  await database.query(`ALTER DATABASE ${name()} SET synchronous_commit = off`);
  await database.query(`ALTER DATABASE ${name()} SET default_transaction_isolation = 'repeatable read'`);
  const run =
    `Run this as ${role()}, with a direct connection to PostgreSQL in DATABASE_URL: ` +
    'DATABASE_POOLER=transaction document-analysis store migrate';
  const line =
    `The user ${role()} lacks settings in the database ${name()} on 127.0.0.1:${new URL(pooler.url).port} that a server behind a ` +
    'connection pooler needs: default_transaction_isolation is repeatable read, not read committed; ' +
    'idle_in_transaction_session_timeout is 0, not 10000; lock_timeout is 0, not 5000; statement_timeout is 0, not 10000; ' +
    `synchronous_commit is off, not on. ${run}; then let the pooler open new connections (RECONNECT, for PgBouncer).`;
  const refused = { name: 'StoreOpenError', message: line };
  await expect(open()).rejects.toMatchObject(refused);
  expect((await migrate(pooler.url)).stderr).toMatch(
    /^error: The database .* Set DATABASE_URL to a direct connection to PostgreSQL: /,
  );
  await expect(open()).rejects.toMatchObject(refused);
  const beside = new pg.Client(pooler.url);
  await beside.connect();
  await beside.query('SELECT');
  await beside.end();
  const { exitCode, stdout } = await migrate(url);
  const has = `\n${role()} has the settings that a server behind a pooler needs.\n`;
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(`${has}$`)]);
  const { rows } = await settingsOfRole();
  expect(rows[0]?.['setconfig']).toEqual(
    expect.arrayContaining(['synchronous_commit=on', 'default_transaction_read_only=off']),
  );
  // A connection of the pooler keeps what it began with; the refused start has left it within a transaction, which ends it.
  await expect(open()).rejects.toMatchObject(refused);
  // test/store/postgres-open.test.ts has what becomes of it when its role loses a setting.
  const store = await open();
  expect(await store.listOrganisations()).toEqual([]);
  await store.close();
});

test('a superuser gives a role the settings together with its rights; another user is told who can', async () => {
  await database.query(`ALTER ROLE ${role()} IN DATABASE ${name()} SET synchronous_commit = remote_apply`);
  const { stdout } = await migrate(database.url, '--server-role', role());
  expect(stdout).toContain(`${role()} has the rights that a server needs.\n${role()} has the settings`);
  const store = await open();
  await store.close();
  const { rows } = await settingsOfRole();
  expect(rows[0]?.['setconfig']).toEqual(
    expect.arrayContaining(['synchronous_commit=remote_apply', 'lock_timeout=5000', 'statement_timeout=10000']),
  );
  const owner = `${role()}_o`;
  await database.query(`CREATE ROLE ${owner} LOGIN IN ROLE ${new URL(database.url).username}`);
  await database.query(`ALTER TABLE store OWNER TO ${owner}`);
  await database.query(`GRANT ALL ON DATABASE ${name()} TO ${owner}`);
  const asOwner = new URL(database.url);
  asOwner.username = owner;
  expect((await migrate(asOwner.href, '--server-role', role())).stderr).toMatch(
    new RegExp(`^error: The user may not change the settings of the role ${role()}\\. Run this as ${role()}, with`),
  );
});

test('a database without the schema is not migrated through a pooler', async () => {
  await migrate(url);
  await database.query('UPDATE store SET schema_version = 0');
  const advice = 'set DATABASE_URL to a direct connection to PostgreSQL, and run: document-analysis store migrate';
  await expect(open()).rejects.toThrow(
    new RegExp(` has schema version 0, not \\d+\\. It cannot be migrated through a pooler: ${advice}$`),
  );
});

test('a pooler that shares sessions between the statements of a transaction stops the start', async () => {
  await migrate(url);
  await pooler.kill();
  pooler = await startPgBouncer(url, ['pool_mode = statement']);
  await expect(open()).rejects.toThrow(/: transaction blocks not allowed in statement pooling mode/);
});

test('a pooler whose connections are all in use stops the start after a bounded wait', async () => {
  await migrate(url);
  const beside = new pg.Client(pooler.url);
  await beside.connect();
  await beside.query('BEGIN');
  const kept = setInterval(() => void beside.query('SELECT'), 1000);
  await expect(open()).rejects.toThrow(/cannot be opened: Query read timeout\. /);
  clearInterval(kept);
  await beside.end();
}, 30_000);

test('options in a URL are no part of what a pooler passes on', async () => {
  await migrate(url);
  pooler = { ...pooler, url: `${pooler.url}?options=-c%20lock_timeout%3D1s` };
  await expect(open()).rejects.toThrow(/Leave options out of DATABASE_URL, and out of PGOPTIONS\.$/);
});
