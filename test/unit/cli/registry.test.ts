import { describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import {
  bulkFile,
  bulkFileLine,
  scatteredNumber,
  corporationFileNames,
  corporationFiles,
  type CorporationLine,
  zipOf,
} from '../../support/bulk-file.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';

const cli = CliHarness.forEachTest();
const acme = bulkFileLine('01234567', 'ACME LTD');
const other = bulkFileLine('SC123456', 'OTHER LTD', 'Liquidation');
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`));

async function importing(texts: Record<string, string | Buffer>, args = '', options?: CliOptions) {
  const files = await Promise.all(Object.entries(texts).map(([name, text]) => cli.write(name, text)));
  const outcome = await cli.run(['registry', 'import', ...args.split(' ').filter(Boolean), ...files], options);
  const short = (text: string) => text.replaceAll(`${cli.folder}/`, '');
  return { ...outcome, stdout: short(outcome.stdout), stderr: short(outcome.stderr) };
}

async function refused(...[texts, args, options]: Parameters<typeof importing>): Promise<string> {
  const { exitCode, stdout, stderr } = await importing(texts, args, options);
  expect([exitCode, stdout]).toEqual([1, '']);
  return stderr;
}

const importingCompanies = (content: string, options?: CliOptions) =>
  importing({ 'companies.csv': content }, '', options);
const nameOf = (number: string) => cli.withStore(async (store) => (await store.findCompany(number))?.name);
const status = (options?: CliOptions) => cli.json<{ imported: unknown }>('registry status', options);

function rowsOf(query: string): unknown[] {
  const database = new Sqlite(cli.databasePath);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

describe('registry import', () => {
  test('imports the companies of a file, then of another one in their place', async () => {
    const told = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
    expect(await importingCompanies(bulkFile(acme))).toEqual(told('Imported 1 company from companies.csv.\n'));
    expect(await importingCompanies(bulkFile(other, bulkFileLine('00000001', 'THIRD LTD')))).toEqual(
      told('Imported 2 companies from companies.csv.\nThey replace 1 company imported at 2026-03-02T12:00:00.000Z.\n'),
    );
    expect([await nameOf('01234567'), await nameOf('SC123456')]).toEqual([undefined, 'OTHER LTD']);
  });

  test('reads the standard input, and tells machines what it imported', async () => {
    await importingCompanies(bulkFile(acme));
    const register = { source: 'standard input', imported_at: '2026-03-03T12:00:00.000Z', companies: 1 };
    const options = { stdin: bulkFile(other), now: new Date('2026-03-03T12:00:00Z') };
    expect(await cli.json('registry import -', options)).toEqual({
      ...register,
      replaced: { source: 'companies.csv', imported_at: '2026-03-02T12:00:00.000Z', companies: 1 },
    });
    const others = { vat: { registry: 'none', url: null }, corporations: { imported: null } };
    expect(await status()).toEqual({ registry: 'local', url: null, imported: register, ...others });
  });

  test('tells the faults of a file by their lines, and leaves the former register as it is', async () => {
    await importingCompanies(bulkFile(acme));
    const faulty = bulkFile(...lines(6000), bulkFileLine('?', 'A'), bulkFileLine('00000001', ''));
    expect(await refused({ 'a.csv': faulty })).toBe(
      'error: Nothing was imported: a.csv has 2 faults:\n' +
        'line 6002: CompanyNumber must be 8 letters and digits, not "?".\nline 6003: CompanyName must not be empty.\n',
    );
    const told = await refused({ 'a.csv': bulkFile(acme, other, acme) });
    expect(told).toBe('error: line 4: The company number 01234567 appears twice. Nothing was imported.\n');
    expect(await refused({ 'a.csv': 'id,name\n1,ACME\n' })).toMatch(/^line 1: The header must name CompanyName, /m);
    expect(await nameOf('01234567')).toBe('ACME LTD');
    expect(rowsOf('SELECT state FROM company_register')).toEqual([{ state: 'current' }]);
  });

  test('shows in a terminal how far it has come, and nowhere else', async () => {
    const file = bulkFile(...lines(1500));
    const { stderr } = await importingCompanies(file, { terminal: true });
    expect(stderr).toMatch(/Reading \[.*\] \d+\/\d+ bytes[^]*1500\/1500 companies/);
    expect((await importingCompanies(file)).stderr).toBe('');
  });
});

test('registry status tells that nothing was imported, and what to do', async () => {
  expect(await cli.text('registry status')).toBe(
    `UK company numbers: the imported register.
  Not imported yet. Import it: document-analysis registry import companies.csv
UK VAT numbers: no registry. Set VAT_REGISTRY=http to use the API of HMRC.
Canadian corporation and business numbers: the imported register.
  Not imported yet. Import it: document-analysis registry import --register ca-corporations corporations-*-en.csv
GST/HST accounts: there is no public register.
`,
  );
});

test('registry status tells what is imported, and that the API is asked instead, never its key', async () => {
  await importingCompanies(bulkFile(acme, other));
  const environment = {
    ...{ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'secret-key' },
    ...{ VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 'secret-key' },
  };
  expect((await cli.text('registry status', { environment })).split('\n').slice(0, 3)).toEqual([
    'UK company numbers: the API at https://api.company-information.service.gov.uk/.',
    '  Imported from companies.csv at 2026-03-02T12:00:00.000Z: 2 companies.',
    'UK VAT numbers: the API at https://api.service.hmrc.gov.uk/.',
  ]);
  expect(JSON.stringify(await status({ environment }))).not.toContain('secret-key');
});

describe('registry import of the archive that the register publishes', () => {
  const name = 'BasicCompanyDataAsOneFile-2026-11-01';
  const many = bulkFile(...lines(2000));
  const whole = zipOf({ [`${name}.csv`]: many });
  const sum = whole.lastIndexOf('PK\u0001\u0002') + 16;
  const flipped = (at: number) => Buffer.from(whole).fill(whole.readUInt8(at) ^ 4, at, at + 1);

  /** As an archive of half of the lines would be, with the sizes and the sum of all. */
  function cutAtLineEnd(): Buffer {
    const cut = zipOf({ [`${name}.csv`]: many.slice(0, many.indexOf('\r\n', many.length / 2) + 2) });
    const place = cut.lastIndexOf('PK\u0001\u0002') + 16;
    whole.copy(cut, place, sum, sum + 4);
    whole.copy(cut, place + 8, sum + 8, sum + 12);
    return cut;
  }

  test('reads it', async () => {
    const expected = { exitCode: 0, stdout: `Imported 2000 companies from ${name}.zip.\n`, stderr: '' };
    expect(await importing({ [`${name}.zip`]: whole })).toEqual(expected);
    expect(await status()).toMatchObject({ imported: { source: `${name}.zip`, companies: 2000 } });
  });

  test.each([
    ['was cut', whole.subarray(0, whole.length / 2), /the archive: It is truncated or damaged: .*central directory/i],
    ['lacks its last byte', whole.subarray(0, -1), /the archive: It is truncated or damaged/],
    ['was damaged', flipped(Math.floor(whole.length / 2)), / has \d+ faults?:/],
    ['holds something else than was packed', flipped(sum), /the archive: It is damaged: its checksum does not match/],
    ['ends with a line', cutAtLineEnd(), /the archive: It is truncated or damaged: not enough bytes/],
    ['holds no CSV file', zipOf({ 'a.txt': 'none' }), /the archive: It must contain one CSV file, not none\./],
    ['holds two', zipOf({ 'a.csv': many, 'b.csv': many }), /the archive: It must contain one CSV file, not several/],
    ['holds one part', zipOf({ 'BasicCompanyData-2026-11-01-part1_7.csv': many }), /is one part of the register/],
  ])('refuses one that %s, and keeps what was imported before', async (_, archive, message) => {
    await importing({ 'former.zip': zipOf({ 'a.csv': bulkFile(acme) }) });
    const told = await refused({ [`${name}.zip`]: archive });
    expect(told).toMatch(/^error: Nothing was imported: /);
    expect(told).toMatch(message);
    expect(await status()).toMatchObject({ imported: { source: 'former.zip', companies: 1 } });
  });
});

const register = '--register ca-corporations';
const shop: CorporationLine = { number: '11125885', businessNumber: '721968915', name: 'SHOP STUDIOS INC.' };

describe('registry import of the federal corporations of Canada', () => {
  const four = corporationFileNames.join(', ');
  const active = 'corporations-active-cbca-en.csv';
  const inactiveElsewhere = 'corporations-inactive-or-dissolved-non-cbca-en.csv';
  const namesOf = (businessNumber: string) =>
    cli.withStore(async (store) =>
      (await store.findCorporations('business_number', businessNumber)).map(({ name }) => name),
    );

  test('imports the four files, then others in their place', async () => {
    const expected = { exitCode: 0, stdout: `Imported 5 corporations from ${four}.\n`, stderr: '' };
    expect(await importing(corporationFiles(shop), register)).toEqual(expected);
    expect(await namesOf('721968915')).toEqual(['SHOP STUDIOS INC.']);
    expect((await importing(corporationFiles(), register)).stdout).toBe(
      `Imported 4 corporations from ${four}.\nThey replace 5 corporations imported at 2026-03-02T12:00:00.000Z.\n`,
    );
    expect(await namesOf('721968915')).toEqual([]);
    expect(rowsOf('SELECT business_number, company_number FROM registry_business_number')).toEqual([
      { business_number: '100094283', company_number: '600100' },
    ]);
    expect(await status()).toMatchObject({
      corporations: { imported: { source: four, imported_at: '2026-03-02T12:00:00.000Z', companies: 4 } },
      imported: null,
    });
  });

  test('is what region ca imports if nothing else is said, and region uk does not', async () => {
    const texts = corporationFiles(shop);
    expect(await importing(texts, '--region ca')).toMatchObject({ exitCode: 0 });
    expect(await refused({ [active]: texts[active] })).toBe(
      `error: Nothing was imported: ${active} has 1 fault:\nline 1: It is a file of the federal corporations of Canada: ` +
        'import all four with --register ca-corporations.\n',
    );
    expect(await refused(texts, '--register uk-companies')).toBe(
      'error: Nothing was imported: the UK register is a single file. Import BasicCompanyDataAsOneFile only.\n',
    );
  });

  test.each<[string, (texts: ReturnType<typeof corporationFiles>) => Record<string, string>, string]>([
    [
      'three of the four files',
      ({ [active]: _, ...others }) => others,
      `the register: It has no line that belongs in ${active}. Import all four files.`,
    ],
    [
      'a page in place of the last file',
      (texts) => ({ ...texts, [inactiveElsewhere]: '<!DOCTYPE html>' }),
      `error: Nothing was imported: ${four} have 1 fault:\n` +
        `${inactiveElsewhere} line 1: It is a web page, not a register: the download has failed.\n`,
    ],
    [
      'a file twice, under another name',
      (texts) => ({ ...texts, 'again.csv': texts[active] }),
      'again.csv line 3: The company number 11125885 appears twice.',
    ],
  ])('refuses %s, and keeps the former register', async (_, change, message) => {
    await importing(corporationFiles(shop), register);
    const told = await refused(change(corporationFiles({ ...shop, name: 'ANOTHER INC.' })), register);
    expect(told).toMatch(/Nothing was imported/);
    expect(told).toContain(message);
    expect(await namesOf('721968915')).toEqual(['SHOP STUDIOS INC.']);
    expect(rowsOf('SELECT state FROM company_register')).toEqual([{ state: 'current' }]);
  });

  test('names a file that is not there, and reads nothing', async () => {
    const first = await cli.write(active, corporationFiles()[active]);
    const told = await cli.fails(1, `registry import ${register} ${first} /no/such/file`);
    expect(told).toBe('error: /no/such/file cannot be read: no such file.\n');
  });
});
