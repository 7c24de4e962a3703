/** What the role of a server can do in a database that another role migrates. */
import { beforeAll, expect, test } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { tableRights } from '../../src/store/postgres/prepare.ts';
import { CliHarness } from '../support/cli.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { serving, startProgram, withDataDir } from '../support/process.ts';
import { addOrganisation } from '../support/tenants.ts';
import { runBeside } from './run-beside.ts';

const open = (url: string) => openPostgresStore({ url, poolSize: 2 }, 'uk');
const warningOf = async (url: string) => {
  const store = await open(url);
  await store.close();
  return store.warning;
};

describeDatabase('the role of a server', (database) => {
  let shared: string;
  beforeAll(async () => {
    shared = await database.serverUrl(await database.freshUrl());
  });
  const roleOf = (url: string) => new URL(url).username;
  const migrate = async (url: string, ...args: string[]) => {
    const cli = await CliHarness.start();
    return cli.run(['store', 'migrate', ...args], { environment: { DATABASE_URL: url } });
  };

  test.each([
    ['ALTER TABLE organisation ADD COLUMN more text', 'must be owner of'],
    ['ALTER TABLE audit_entry DISABLE TRIGGER ALL', 'must be owner of'],
    ['DROP TABLE audit_entry', 'must be owner of'],
    ['DROP TABLE registry_company', 'must be owner of'],
    ['CREATE INDEX ON organisation (created_at)', 'must be owner of'],
    [
      'CREATE OR REPLACE FUNCTION refuse_change_of_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$ $$',
      'permission',
    ],
    ['CREATE TABLE more (id integer)', 'permission denied for schema'],
    ['CREATE EXTENSION plperlu', 'permission denied|not available'],
    ['CREATE ROLE more', 'permission denied'],
    ['SET session_replication_role = replica', 'permission denied'],
    ["COPY organisation TO '/tmp/organisations'", 'must be superuser|permission denied'],
    ...Object.keys(tableRights).map((table) => [`TRUNCATE ${table} CASCADE`, 'permission denied']),
    ["UPDATE audit_entry SET request_id = 'other'", 'permission denied for table audit_entry'],
    ['DELETE FROM audit_entry', 'permission denied for table audit_entry'],
    ['UPDATE store SET schema_version = 99', 'permission denied for table store'],
    ['DELETE FROM credential', 'permission denied for table credential'],
    ['DELETE FROM organisation', 'permission denied for table organisation'],
    ['DELETE FROM case_record', 'permission denied for table case_record'],
  ] as [string, string][])('may not %s', async (statement, refusal) => {
    await expect(runBeside(shared, statement)).rejects.toThrow(new RegExp(refusal));
  });

  test('has rights to each table of the schema', async () => {
    const url = await database.freshUrl();
    await database.serverUrl(url);
    const { rows } = await runBeside(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
    );
    const names = rows.map(({ relname }: { relname: string }) => relname);
    expect(names.sort()).toEqual(Object.keys(tableRights).sort());
  });

  test('does not migrate: it is told in one line who does, and serves after that', async () => {
    const owned = await database.freshUrl();
    // Makes the role.
    const role = roleOf(await database.serverUrl(await database.freshUrl()));
    const url = owned.replace(/\/\/[^@/]*@/, `//${role}@`);
    const statement = `
      CREATE TABLE store (only_one boolean PRIMARY KEY DEFAULT true, region text NOT NULL, schema_version integer NOT NULL);
      INSERT INTO store VALUES (true, 'uk', 0);
      DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${role}', current_schema()); END $$;
      GRANT SELECT ON store TO ${role}`;
    await runBeside(owned, statement);
    await expect(open(url)).rejects.toThrow(
      new RegExp(
        `^The database \\S+ on \\S+ has schema version 0, this program needs version \\d+, and the user ${role} may not ` +
          `change it\\. Let the owner of the database run: document-analysis store migrate --server-role ${role}$`,
      ),
    );
    expect(await migrate(owned, '--server-role', role)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        `^The schema of the database \\S+ on \\S+ is up to date\\.\n${role} has the rights that a server needs\\.\n$`,
      ) as unknown,
    });
    const store = await open(url);
    await addOrganisation(store);
    await store.close();
  });

  test('is told which right it lacks, and has none beyond those of a server after a migration', async () => {
    const owned = await database.freshUrl();
    const url = await database.serverUrl(owned);
    await runBeside(
      owned,
      `REVOKE INSERT ON audit_entry FROM ${roleOf(url)}; GRANT DELETE ON audit_entry TO ${roleOf(url)}`,
    );
    await expect(open(url)).rejects.toThrow(
      /lacks rights in the database \S+ on \S+, such as INSERT on audit_entry\. Let/,
    );
    expect((await migrate(owned, '--server-role', roleOf(url))).exitCode).toBe(0);
    const { rows } = await runBeside(
      owned,
      `SELECT has_table_privilege('${roleOf(url)}', 'audit_entry', 'DELETE') AS may`,
    );
    expect(rows).toEqual([{ may: false }]);
    await (await open(url)).close();
  });

  test('must exist, and cannot migrate for itself', async () => {
    const owned = await database.freshUrl();
    expect((await migrate(owned, '--server-role', 'nobody_at_all')).stderr).toMatch(
      /role "nobody_at_all" does not exist\. Create the role first, as in CREATE ROLE/,
    );
    const url = await database.serverUrl(owned);
    expect((await migrate(url, '--server-role', roleOf(url))).stderr).toMatch(/may not change it\. Let the owner/);
  });

  test('can be copied from, and not copied into', async () => {
    const cli = await CliHarness.start();
    await cli.addOrganisation();
    const url = await database.serverUrl(await database.freshUrl());
    const copy = (from: string, to: string) =>
      cli.run(['store', 'copy', '--from', from, '--to', to], { environment: { DATABASE_URL: url } });
    const file = `sqlite:${cli.databasePath}`;
    const refused = /^error: The user \w+ does not own the tables of .* Name the owner in DATABASE_URL\.\n$/;
    expect((await copy(file, 'env:DATABASE_URL')).stderr).toMatch(refused);
    expect(await copy('env:DATABASE_URL', `${file}-copy`)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('is what a server warns of if it has more, as an owner beside a role of servers', async () => {
    const owned = await database.freshUrl();
    const url = await database.serverUrl(owned);
    expect(await warningOf(url)).toBeUndefined();
    const owner = `owner_${Date.now()}`;
    await database.query(`CREATE ROLE ${owner} LOGIN`);
    await database.query(`CREATE SCHEMA AUTHORIZATION ${owner}`);
    const asOwner = owned
      .replace(/\/\/[^@/]*@/, `//${owner}@`)
      .replace(/search_path(=|%3D)\w+/i, `search_path$1${owner}`);
    expect(await warningOf(asOwner)).toBeUndefined();
    await migrate(asOwner, '--server-role', roleOf(url));
    expect(await warningOf(asOwner)).toMatch(
      new RegExp(`as ${owner}, the owner of its tables, although another role has rights`),
    );
    await database.query(`DROP OWNED BY ${owner} CASCADE`);
    await database.query(`DROP ROLE ${owner}`);
  });

  /** test/services/two-regions.test.ts has servers whose role has no more rights than they need. */
  test('is warned of in the log of a server when it starts, if it is a superuser', async () => {
    const owned = await database.freshUrl();
    await withDataDir(async (dataDir) => {
      const environment = { DATABASE_URL: owned, DATA_DIR: dataDir, NODE_ENV: 'production', PORT: '0' };
      const program = startProgram(['serve'], environment);
      await serving(program);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
      expect(program.stderr()).toMatch(
        /"level":40.*"msg":"The server uses the database \S+ on \S+ as \w+, a superuser\. Let it connect as a role/,
      );
    });
  });
});

test('a SQLite file is migrated, and has no roles', async () => {
  const cli = await CliHarness.start();
  expect((await cli.run(['store', 'migrate'])).stdout).toMatch(/^The schema of \S+\.sqlite is up to date\.\n$/);
  expect(await cli.json(['store', 'migrate'])).toMatchObject({ server_role: null });
  expect((await cli.run(['store', 'migrate', '--server-role', 'x'])).stderr).toMatch(/needs a PostgreSQL database/);
});
