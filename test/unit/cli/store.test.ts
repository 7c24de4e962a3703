import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { addCase, buildCase } from '../../support/tenants.ts';

const cli = CliHarness.forEachTest();
let from: string;
let to: string;
beforeEach(() => {
  from = `sqlite:${cli.databasePath}`;
  to = `sqlite:${join(cli.folder, 'copy.sqlite')}`;
});

const copy = (target: string, options?: CliOptions) =>
  cli.run(['store', 'copy', '--from', from, '--to', target], options);
const refused = async (target: string, options?: CliOptions, exitCode: 1 | 2 = 2) =>
  cli.fails(exitCode, ['store', 'copy', '--from', from, '--to', target], options);

test('store copy tells for each table how many rows it has and what their digest is on both sides', async () => {
  await cli.addOrganisation();
  const { exitCode, stdout } = await copy(to);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^TABLE +ROWS +SHA-256 +SAME\norganisation +1 +[0-9a-f]{64} +yes\n/);
  expect(stdout).toMatch(/\n\nCopied 7 rows to \S+copy\.sqlite and verified the copy\.\n$/);
  const told = await cli.json<{ tables: unknown[] }>(`store copy --from ${to} --to ${to}-2`);
  expect(told).toMatchObject({ region: 'uk', same: true });
  const digest = { rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown };
  expect(told.tables[0]).toEqual({ table: 'organisation', source: digest, target: digest });
});

test('store copy says which command copies the files, where the copy is in another data directory', async () => {
  await cli.addOrganisation();
  const folder = join(cli.folder, 'data', 'document-analysis-uk-files');
  await mkdir(join(folder, 'content'), { recursive: true });
  await writeFile(join(folder, 'content', 'one'), '1');
  const elsewhere = join(cli.folder, "the operator's");
  const other = `sqlite:${join(elsewhere, 'document-analysis-uk.sqlite')}`;
  const { stdout } = await copy(other);
  const [, command = ''] = /The files are still in \S+ only\. .*\n {2}(cp .*)\n$/.exec(stdout) ?? [];
  execFileSync('sh', ['-c', command]);
  expect(await readFile(join(elsewhere, 'document-analysis-uk-files', 'content', 'one'), 'utf8')).toBe('1');
  const beside = `sqlite:${join(cli.folder, 'data', 'beside.sqlite')}`;
  expect((await copy(beside)).stdout).toMatch(/verified the copy\.\n$/);
});

test('store copy shows its progress to somebody who watches', async () => {
  const id = await cli.addOrganisation();
  await cli.withStore((store) => addCase(store, id, buildCase(Array<string>(1001).fill('analysing'))));
  expect((await copy(to, { terminal: true })).stderr).toMatch(/Copying \[.*\] \d+\/1009 rows/);
});

test('store copy into a store that holds data is refused', async () => {
  await cli.addOrganisation();
  expect(await refused(from, {}, 1)).toMatch(/^error: Nothing was copied: .* already contains data/);
});

const mentions = /^error: --to contains a password, which every user of this machine can .*env:DATABASE_URL/;
test.each([
  ['postgres://somebody:p%40s3cret@127.0.0.1/cases', mentions],
  ['postgres://somebody@127.0.0.1/cases?password=p%40s3cret', mentions],
  ['nonsense', /--to must be sqlite:FILE, a URL such as postgres:\/\/user@host\/database, or env:NAME\./],
  ['env:postgres://somebody:s3cret@host/db', /--to must name an environment variable after env:, such as /],
  ['env:NOT_SET', /--to names the environment variable NOT_SET, which is not set\./],
  ['env:OTHER', /OTHER must be sqlite:FILE/],
  ['postgres://postgres@127.0.0.1:5432/', /--to names no database\. Add it after the host, as in postgres:/],
  ['postgres://host:x/db', /--to must be a URL such as postgres:/],
  ['sqlite:data/document-analysis-ca.sqlite', /seems to belong to region ca\. .* add --region ca\./],
  ['env:AWAY', /The database cases on 127\.0\.0\.1:1 cannot be opened: .*Check that PostgreSQL runs there.*AWAY/],
])('store copy refuses %s as a store and tells what to do', async (named, message) => {
  await cli.addOrganisation();
  const environment = { OTHER: 's3cret', AWAY: 'postgres://somebody:s3cret@127.0.0.1:1/cases' };
  const told = await refused(named, { environment }, named === 'env:AWAY' ? 1 : 2);
  expect(told).toMatch(message);
  expect(told).not.toContain('s3cret');
});

test('store copy finds a URL in the file that a variable names', async () => {
  await cli.addOrganisation();
  const FROM = 'postgres://somebody:s3cret@127.0.0.1:1/cases';
  from = 'env:FROM';
  const there = await refused(to, { environment: { FROM_FILE: await cli.write('secret', `${FROM}\n`) } }, 1);
  expect(there).toMatch(/^error: The database cases on 127\.0\.0\.1:1 cannot be opened/);
  expect(there).not.toContain('s3cret');
  const FROM_FILE = '/no/such/file';
  expect(await refused(to, { environment: { FROM, FROM_FILE } })).toMatch(/^error: FROM contradicts FROM_FILE/);
  expect(await refused(to, { environment: { FROM_FILE } })).toMatch(/^error: FROM_FILE names a file .*ENOENT/);
});

describePostgres('the command line with PostgreSQL', () => {
  test('works on the database that DATABASE_URL names', async () => {
    const database = await createTestDatabase();
    const options = { environment: { DATABASE_URL: database.url } };
    const none = await cli.text('organisation list', options);
    expect(none).toMatch(/^No organisations in the database document_analysis_test_\w+ on \S+:\d+\. Create one/);
    const created = await cli.json('organisation create Acme', options);
    expect(await cli.json('organisation list', options)).toMatchObject([created]);
  });

  test('tells what differs when the target changes what it is sent, keeps nothing and exits with 1', async () => {
    const database = await createTestDatabase();
    await (await openPostgresStore({ url: database.url, poolSize: 1 }, 'uk')).close();
    const beside = new pg.Client(database.url);
    await beside.connect();
    await beside.query(`
      CREATE FUNCTION alter_name() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.name := NEW.name || '!'; RETURN NEW; END $$;
      CREATE TRIGGER alter_name BEFORE INSERT ON organisation FOR EACH ROW EXECUTE FUNCTION alter_name()`);
    await cli.addOrganisation();
    const environment = { DATABASE_URL: database.url };
    const { exitCode, stdout, stderr } = await copy('env:DATABASE_URL', { environment });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/\norganisation +1 +[0-9a-f]{64} +NO\n/);
    expect(stderr).toMatch(/^error: Nothing was copied: the data in the database \S+ on \S+ differs from the source/);
    expect((await beside.query('SELECT FROM organisation')).rowCount).toBe(0);
    await beside.end();
  });
});
