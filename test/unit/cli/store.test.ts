import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { CliHarness } from '../../support/cli.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { addCase, buildCase } from '../../support/tenants.ts';

let cli: CliHarness;
let from: string;
let to: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  from = `sqlite:${cli.databasePath}`;
  to = `sqlite:${join(cli.folder, 'copy.sqlite')}`;
});
afterEach(() => cli.stop());

describe('store copy', () => {
  test('tells for each table how many rows it has and what their digest is on both sides', async () => {
    await cli.addOrganisation();
    const { exitCode, stdout } = await cli.run(['store', 'copy', '--from', from, '--to', to]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^TABLE +ROWS +SHA-256 +SAME\norganisation +1 +[0-9a-f]{64} +yes\n/);
    expect(stdout).toMatch(/\n\nCopied 7 rows to \S+copy\.sqlite and verified the copy\.\n$/);
    const again = { from: to, to: `${to}-2` };
    const told = await cli.json<Record<string, unknown>>(['store', 'copy', '--from', again.from, '--to', again.to]);
    expect(told).toMatchObject({ region: 'uk', same: true });
    expect((told['tables'] as unknown[])[0]).toEqual({
      table: 'organisation',
      source: { rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
      target: { rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
    });
  });

  test('says which command copies the files, where the copy is in another data directory', async () => {
    await cli.addOrganisation();
    const folder = join(cli.folder, 'data', 'document-analysis-uk-files');
    await mkdir(join(folder, 'content'), { recursive: true });
    await writeFile(join(folder, 'content', 'one'), '1');
    const elsewhere = join(cli.folder, "the operator's");
    const other = `sqlite:${join(elsewhere, 'document-analysis-uk.sqlite')}`;
    const { stdout } = await cli.run(['store', 'copy', '--from', from, '--to', other]);
    const [, command = ''] = /The files are still in \S+ only\. .*\n {2}(cp .*)\n$/.exec(stdout) ?? [];
    execFileSync('sh', ['-c', command]);
    expect(await readFile(join(elsewhere, 'document-analysis-uk-files', 'content', 'one'), 'utf8')).toBe('1');
    const beside = `sqlite:${join(cli.folder, 'data', 'beside.sqlite')}`;
    expect((await cli.run(['store', 'copy', '--from', from, '--to', beside])).stdout).toMatch(/verified the copy\.\n$/);
  });

  test('shows its progress to somebody who watches', async () => {
    const id = await cli.addOrganisation();
    await cli.withStore((store) => addCase(store, id, buildCase(Array<string>(1001).fill('analysing'))));
    const { stderr } = await cli.run(['store', 'copy', '--from', from, '--to', to], { terminal: true });
    expect(stderr).toMatch(/Copying \[.*\] \d+\/1009 rows/);
  });

  test('into a store that holds data is refused', async () => {
    await cli.addOrganisation();
    const { exitCode, stderr } = await cli.run(['store', 'copy', '--from', from, '--to', from]);
    const refusal = /^error: Nothing was copied: .* already contains data/;
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(refusal)]);
  });

  test.each([
    ['nonsense', /--to must be sqlite:FILE, a URL such as postgres:\/\/user@host\/database, or env:NAME\./],
    ['env:postgres://somebody:secret@host/db', /--to must name an environment variable after env:, such as /],
    ['env:NOT_SET', /--to names the environment variable NOT_SET, which is not set\./],
    ['env:OTHER', /OTHER must be sqlite:FILE/],
    ['postgres://postgres@127.0.0.1:5432/', /--to names no database\. Add it after the host, as in postgres:/],
    ['postgres://host:x/db', /--to must be a URL such as postgres:/],
    [
      'sqlite:data/document-analysis-ca.sqlite',
      /seems to belong to region ca\. If that is what you mean, add --region ca\./,
    ],
    ['env:AWAY', /The database cases on 127\.0\.0\.1:1 cannot be opened: .*Check that PostgreSQL runs there.*AWAY/],
  ])('refuses %s as a store and tells what to do', async (named, message) => {
    await cli.addOrganisation();
    const environment = { OTHER: 'secret', AWAY: 'postgres://somebody:secret@127.0.0.1:1/cases' };
    const { exitCode, stdout, stderr } = await cli.run(['store', 'copy', '--from', from, '--to', named], {
      environment,
    });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret');
  });

  test.each(['postgres://somebody:p%40ss@127.0.0.1/cases', 'postgres://somebody@127.0.0.1/cases?password=p%40ss'])(
    'refuses a password among its arguments without repeating it: %s',
    async (named) => {
      const { exitCode, stderr } = await cli.run(['store', 'copy', '--from', from, '--to', named]);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^error: --to contains a password, which every user of this machine can read\. .*env:DATABASE_URL/,
      );
      expect(stderr).not.toContain('p%40ss');
    },
  );
});

describePostgres('the command line with PostgreSQL', () => {
  test('works on the database that DATABASE_URL names', async () => {
    const database = await createTestDatabase();
    const options = { environment: { DATABASE_URL: database.url } };
    expect((await cli.run(['organisation', 'list'], options)).stdout).toMatch(
      /^No organisations in the database document_analysis_test_\w+ on \S+:\d+\. Create one/,
    );
    const created = await cli.json<{ organisation_id: string }>(['organisation', 'create', 'Acme Ltd'], options);
    expect(await cli.json(['organisation', 'list'], options)).toMatchObject([created]);
    await database.drop();
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
    const { exitCode, stdout, stderr } = await cli.run(['store', 'copy', '--from', from, '--to', 'env:DATABASE_URL'], {
      environment: { DATABASE_URL: database.url },
    });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/\norganisation +1 +[0-9a-f]{64} +NO\n/);
    expect(stderr).toMatch(
      /^error: Nothing was copied: the data in the database \S+ on \S+ differs from the source\.\n$/,
    );
    expect((await beside.query('SELECT FROM organisation')).rowCount).toBe(0);
    await beside.end();
    await database.drop();
  });

  test('warns when cases cannot be read from the replica', async () => {
    const database = await createTestDatabase();
    const away = new URL(database.url);
    away.port = '1';
    const environment = { DATABASE_URL: database.url, DATABASE_READ_URL: away.href };
    const { exitCode, stderr } = await cli.run(['case', 'list'], { environment });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 40,
      msg: expect.stringContaining('read from the primary') as unknown,
    });
    await database.drop();
  });
});
