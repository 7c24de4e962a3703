import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { bulkFile, bulkFileLine, scatteredNumber } from '../../support/bulk-file.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { createTestDatabase } from '../../support/postgres.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const acme = bulkFileLine('01234567', 'ACME LTD');
const other = bulkFileLine('SC123456', 'OTHER LTD', 'Liquidation');

async function importing(content: string, options?: CliOptions) {
  const file = await cli.write('companies.csv', content);
  const outcome = await cli.run(['registry', 'import', file], options);
  return {
    ...outcome,
    stdout: outcome.stdout.replaceAll(file, 'FILE'),
    stderr: outcome.stderr.replaceAll(file, 'FILE'),
  };
}

const nameOf = (number: string) => cli.withStore(async (store) => (await store.findCompany(number))?.name);
const status = (options?: CliOptions) => cli.json<{ imported: unknown }>(['registry', 'status'], options);
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`));

describe('registry import', () => {
  test('imports the companies of a file, then of another one in their place', async () => {
    expect(await importing(bulkFile(acme))).toEqual({
      exitCode: 0,
      stdout: 'Imported 1 company from FILE.\n',
      stderr: '',
    });
    expect(await importing(bulkFile(other, bulkFileLine('00000001', 'THIRD LTD')))).toEqual({
      exitCode: 0,
      stdout: 'Imported 2 companies from FILE.\nThey replace 1 company imported at 2026-03-02T12:00:00.000Z.\n',
      stderr: '',
    });
    expect([await nameOf('01234567'), await nameOf('SC123456')]).toEqual([undefined, 'OTHER LTD']);
  });

  test('reads the standard input, and tells machines what it imported', async () => {
    await importing(bulkFile(acme));
    const register = { source: 'standard input', imported_at: '2026-03-03T12:00:00.000Z', companies: 1 };
    const options = { stdin: bulkFile(other), now: new Date('2026-03-03T12:00:00Z') };
    expect(await cli.json(['registry', 'import', '-'], options)).toEqual({
      ...register,
      replaced: { source: 'companies.csv', imported_at: '2026-03-02T12:00:00.000Z', companies: 1 },
    });
    expect(await status()).toEqual({
      registry: 'local',
      url: null,
      imported: register,
      vat: { registry: 'none', url: null },
      corporations: { imported: null },
    });
  });

  test('refuses a file of another layout, and writes nothing at all', async () => {
    const { exitCode, stdout, stderr } = await importing('id,name\n1,ACME\n');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^error: Nothing was imported: FILE has 1 fault:\n(error: )?line 1: The header must name CompanyName, /,
    );
    const database = new Sqlite(cli.databasePath);
    expect(database.prepare('SELECT * FROM company_register').all()).toEqual([]);
    database.close();
  });

  test('refuses one part of the register, which the publisher offers too', async () => {
    const file = await cli.write('BasicCompanyData-2026-11-01-part1_7.csv', bulkFile(acme));
    expect(await cli.run(['registry', 'import', file])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        `error: Nothing was imported: ${file} is one part of the register and would replace all of it. ` +
        'Import BasicCompanyDataAsOneFile.\n',
    });
    expect(await status()).toMatchObject({ imported: null });
  });

  test('tells the faults of a file by their lines, and leaves the former register as it is', async () => {
    await importing(bulkFile(acme));
    const { exitCode, stderr } = await importing(
      bulkFile(...lines(6000), bulkFileLine('?', 'A'), bulkFileLine('00000001', '')),
    );
    expect([exitCode, stderr]).toEqual([
      1,
      'error: Nothing was imported: FILE has 2 faults:\n' +
        'line 6002: CompanyNumber must be 8 letters and digits, not "?".\nline 6003: CompanyName must not be empty.\n',
    ]);
    expect(await nameOf('01234567')).toBe('ACME LTD');
  });

  test('refuses a number that is there twice by its line', async () => {
    const { exitCode, stderr } = await importing(bulkFile(acme, other, acme));
    expect([exitCode, stderr]).toEqual([
      1,
      'error: line 4: The company number 01234567 appears twice. Nothing was imported.\n',
    ]);
    expect(await status()).toMatchObject({ imported: null });
  });

  test.each([
    ['/no/such/file', 'no such file'],
    ['/', 'it is a directory'],
  ])('refuses %s in one line', async (file, reason) => {
    expect(await cli.run(['registry', 'import', file])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: ${file} cannot be read: ${reason}.\n`,
    });
  });

  test('shows in a terminal how far it has come, and nowhere else', async () => {
    const file = bulkFile(...lines(1500));
    const { stderr } = await importing(file, { terminal: true });
    expect(stderr).toMatch(/Reading \[.*\] \d+\/\d+ bytes/);
    expect(stderr).toContain('1500/1500 companies');
    expect((await importing(file)).stderr).toBe('');
  });
});

describe('registry status', () => {
  test('tells that nothing was imported, and what to do', async () => {
    expect((await cli.run(['registry', 'status'])).stdout).toBe(
      'UK company numbers: the imported register.\n' +
        '  Not imported yet. Import it: document-analysis registry import companies.csv\n' +
        'UK VAT numbers: no registry. Set VAT_REGISTRY=http to use the API of HMRC.\n' +
        'Canadian corporation and business numbers: the imported register.\n' +
        '  Not imported yet. Import it: ' +
        'document-analysis registry import --register ca-corporations corporations-*-en.csv\n' +
        'GST/HST accounts: there is no public register.\n',
    );
  });

  test('tells what is imported, and that the API is asked instead, never its key', async () => {
    await importing(bulkFile(acme, other));
    const environment = {
      ...{ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'secret-key' },
      ...{ VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 'secret-key' },
    };
    const { stdout } = await cli.run(['registry', 'status'], { environment });
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'UK company numbers: the API at https://api.company-information.service.gov.uk/.',
      '  Imported from companies.csv at 2026-03-02T12:00:00.000Z: 2 companies.',
      'UK VAT numbers: the API at https://api.service.hmrc.gov.uk/.',
    ]);
    expect(JSON.stringify(await status({ environment }))).not.toContain('secret-key');
  });
});

describePostgres('registry import into PostgreSQL', () => {
  test('imports the companies of a file, and leaves nothing of those before', async () => {
    const database = await createTestDatabase();
    const options = { environment: { DATABASE_URL: database.url } };
    await importing(bulkFile(...lines(6000)), options);
    expect((await importing(bulkFile(acme, other), options)).stdout).toMatch(/^Imported 2 companies .*6000 companies/s);
    expect((await database.query('SELECT company_number FROM registry_company ORDER BY 1')).rows).toEqual([
      { company_number: '01234567' },
      { company_number: 'SC123456' },
    ]);
    expect(
      (await database.query("SELECT FROM pg_inherits WHERE inhparent = 'registry_company'::regclass")).rowCount,
    ).toBe(1);
    await database.drop();
  });
});
