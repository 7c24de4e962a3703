import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import {
  bulkFile,
  bulkFileLine,
  corporationFileNames,
  corporationFiles,
  type CorporationLine,
} from '../../support/bulk-file.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { createTestDatabase } from '../../support/postgres.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const shop: CorporationLine = { number: '11125885', businessNumber: '721968915', name: 'SHOP STUDIOS INC.' };
const register = ['--register', 'ca-corporations'];

async function write(texts: Record<string, string>): Promise<string[]> {
  return Promise.all(Object.entries(texts).map(([name, text]) => cli.write(name, text)));
}

async function importing(texts: Record<string, string>, args = register, options?: CliOptions) {
  const files = await write(texts);
  const outcome = await cli.run(['registry', 'import', ...args, ...files], options);
  const short = (text: string) =>
    files.reduce((shortened, file) => shortened.replaceAll(file, file.split('/').at(-1) ?? ''), text);
  return { ...outcome, stdout: short(outcome.stdout), stderr: short(outcome.stderr) };
}

const namesOf = (businessNumber: string) =>
  cli.withStore(async (store) =>
    (await store.findCorporations('business_number', businessNumber)).map(({ name }) => name),
  );
const rowsOf = (query: string) => {
  const database = new Sqlite(cli.databasePath);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
};
const four = corporationFileNames.join(', ');

describe('registry import of the federal corporations of Canada', () => {
  test('imports the four files, then others in their place', async () => {
    expect(await importing(corporationFiles(shop))).toEqual({
      exitCode: 0,
      stdout: `Imported 5 corporations from ${four}.\n`,
      stderr: '',
    });
    expect(await namesOf('721968915')).toEqual(['SHOP STUDIOS INC.']);
    expect((await importing(corporationFiles())).stdout).toBe(
      `Imported 4 corporations from ${four}.\n` + 'They replace 5 corporations imported at 2026-03-02T12:00:00.000Z.\n',
    );
    expect(await namesOf('721968915')).toEqual([]);
    expect(rowsOf('SELECT business_number, company_number FROM registry_business_number')).toEqual([
      { business_number: '100094283', company_number: '600100' },
    ]);
    const status = await cli.json<{ corporations: unknown; imported: unknown }>(['registry', 'status']);
    expect(status).toMatchObject({
      corporations: { imported: { source: four, imported_at: '2026-03-02T12:00:00.000Z', companies: 4 } },
      imported: null,
    });
  });

  test('is what region ca imports if nothing else is said, and region uk does not', async () => {
    const texts = corporationFiles(shop);
    expect(await importing(texts, ['--region', 'ca'])).toMatchObject({ exitCode: 0 });
    const [first = ''] = await write(texts);
    const { exitCode, stderr } = await cli.run(['registry', 'import', first]);
    expect([exitCode, stderr.replaceAll(first, 'FILE')]).toEqual([
      1,
      'error: Nothing was imported: FILE has 1 fault:\nline 1: It is a file of the federal corporations of Canada: ' +
        'import all four with --register ca-corporations.\n',
    ]);
    expect(await importing(texts, ['--register', 'uk-companies'])).toMatchObject({
      exitCode: 1,
      stderr: 'error: Nothing was imported: the UK register is a single file. Import BasicCompanyDataAsOneFile only.\n',
    });
  });

  test.each<[string, (texts: ReturnType<typeof corporationFiles>) => Record<string, string>, string]>([
    [
      'three of the four files',
      ({ 'corporations-active-cbca-en.csv': _, ...others }) => others,
      'the register: It has no line that belongs in corporations-active-cbca-en.csv. Import all four files.',
    ],
    [
      'a file of another country',
      (texts) => ({ ...texts, 'corporations-active-non-cbca-en.csv': bulkFile(bulkFileLine('01234567', 'ACME LTD')) }),
      'corporations-active-non-cbca-en.csv line 1: It is the UK register of companies: import it with --register uk-companies.',
    ],
    [
      'a page in place of the last file',
      (texts) => ({ ...texts, 'corporations-inactive-or-dissolved-non-cbca-en.csv': '<!DOCTYPE html>' }),
      `error: Nothing was imported: ${four} have 1 fault:\n` +
        'corporations-inactive-or-dissolved-non-cbca-en.csv line 1: It is a web page, not a register: the download has failed.\n',
    ],
    [
      'a file that is cut within a line',
      (texts) => ({
        ...texts,
        'corporations-active-non-cbca-en.csv': texts['corporations-active-non-cbca-en.csv'].slice(0, -20),
      }),
      'Invalid Record Length',
    ],
    [
      'a file twice, under another name',
      (texts) => ({ ...texts, 'again.csv': texts['corporations-active-cbca-en.csv'] }),
      'again.csv line 3: The company number 11125885 appears twice.',
    ],
  ])('refuses %s, and keeps the former register', async (_, change, message) => {
    await importing(corporationFiles(shop));
    const { exitCode, stdout, stderr } = await importing(change(corporationFiles({ ...shop, name: 'ANOTHER INC.' })));
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/Nothing was imported/);
    expect(stderr).toContain(message);
    expect(await namesOf('721968915')).toEqual(['SHOP STUDIOS INC.']);
    expect(rowsOf('SELECT state FROM company_register')).toEqual([{ state: 'current' }]);
  });

  test('a file that is not there is named, and nothing is read', async () => {
    const [first = ''] = await write(corporationFiles());
    expect(await cli.run(['registry', 'import', ...register, first, '/no/such/file'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: /no/such/file cannot be read: no such file.\n',
    });
  });

  test('refuses a register that nobody knows', async () => {
    const { exitCode, stderr } = await cli.run(['registry', 'import', '--register', 'fr-sirene', 'a.csv']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('uk-companies, ca-corporations')]);
  });
});

describePostgres('registry import of the federal corporations into PostgreSQL', () => {
  test('imports them, leaves nothing of those before, and refuses a number that is there twice', async () => {
    const database = await createTestDatabase();
    const options = { environment: { DATABASE_URL: database.url } };
    await importing(corporationFiles(), register, options);
    await importing(corporationFiles(shop), register, options);
    const { rows } = await database.query('SELECT business_number FROM registry_company ORDER BY company_number');
    expect(rows.map((row) => (row as { business_number: unknown }).business_number)).toEqual([
      ...['721968915', null, null, '100094283', null],
    ]);
    const { stderr } = await importing(corporationFiles(shop, shop), register, options);
    expect(stderr).toBe(
      'error: corporations-active-cbca-en.csv line 4: The company number 11125885 appears twice. Nothing was imported.\n',
    );
    await database.drop();
  });
});
