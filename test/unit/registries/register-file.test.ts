import { expect, test } from '@jest/globals';
import { BulkFileError, readRegister } from '../../../src/analysis/registries/register-file.ts';
import type { RegisterEntry } from '../../../src/store/staged-imports.ts';
import {
  bulkFile,
  bulkFileHeader,
  bulkFileLine,
  corporationFile,
  corporationFileNames,
  corporationFiles,
  corporationHeader,
  corporationLine,
} from '../../support/bulk-file.ts';

type Content = string | Buffer;

/** Content as it comes from a file: in pieces that end within characters and lines. */
// oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
async function* inPieces(content: Content, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function entriesOf(parts: AsyncIterable<RegisterEntry[]>): Promise<RegisterEntry[]> {
  const entries: RegisterEntry[] = [];
  for await (const part of parts) entries.push(...part);
  return entries;
}

const readCompanyFile = (content: AsyncIterable<string | Uint8Array>) =>
  readRegister('uk-companies', [{ name: '', content }]);
const readCompanies = (content: Content) => entriesOf(readCompanyFile(inPieces(content)));
const readCorporations = (files: Record<string, Content>) =>
  entriesOf(
    readRegister(
      'ca-corporations',
      Object.entries(files).map(([name, text]) => ({ name, content: inPieces(text, 700) })),
    ),
  );

/** The faults for which a register is refused, each as `place: message`. */
const refusal = (reading: Promise<unknown>): Promise<unknown> =>
  reading.catch((error: unknown) => {
    if (error instanceof BulkFileError) return error.message.split('\n');
    throw error;
  });

test('reading the bulk file of the UK register gives number, name, status and line of each company', async () => {
  const proposal = 'Active - Proposal to Strike off';
  const text = bulkFile(
    bulkFileLine('01234567', 'ACME LTD'),
    bulkFileLine('SC123456', 'SAY "CHEESE", & CO LIMITED', proposal),
    bulkFileLine('ip00001r', ' CAFÉ ß😀 LLP ', ''),
  );
  const expected = [
    { company_number: '01234567', name: 'ACME LTD', status: 'Active', line: 2 },
    { company_number: 'SC123456', name: 'SAY "CHEESE", & CO LIMITED', status: proposal, line: 3 },
    { company_number: 'IP00001R', name: 'CAFÉ ß😀 LLP', status: '', line: 4 },
  ];
  expect(await readCompanies(text)).toEqual(expected);
  expect(await readCompanies(`\ufeff${text.replaceAll('\r\n', '\n')}\n\n`)).toEqual(expected);
  // The columns are found by their names, wherever they stand.
  const other = 'New,CompanyStatus, CompanyNumber,CompanyName\n1,Active,01234567,ACME LTD\n';
  expect(await readCompanies(other)).toEqual(expected.slice(0, 1));
});

const badNumber = 'line 2: CompanyNumber must be 8 letters and digits, not "?".';
const after = (line: string) => bulkFile(bulkFileLine('?', 'ACME LTD'), line, bulkFileLine('01234569', 'ACME LTD'));
const noColumn = (names: string) => new RegExp(`^line 1: .* must name ${names} once`);
test.each<[string, Content, (string | RegExp)[]]>([
  ['no header', bulkFileLine('01234567', 'A'), [noColumn('CompanyName, CompanyNumber, CompanyStatus')]],
  ['a column that is missing', 'CompanyName,CompanyNumber\nA,01234567\n', [noColumn('CompanyStatus')]],
  ['a column twice', 'CompanyName,CompanyName,CompanyNumber,CompanyStatus\n', [noColumn('CompanyName')]],
  ['no company', bulkFile(), ['line 1: It contains no company.']],
  ['nothing', '', ['line 1: It contains no company.']],
  [
    'lines that are no company',
    bulkFile(
      bulkFileLine('01234567', 'ACME LTD'),
      bulkFileLine('1234567', 'SEVEN DIGITS LTD'),
      bulkFileLine('01234568', ' '),
      bulkFileLine('01234569', 'NUL \0 LTD'),
    ),
    [
      'line 3: CompanyNumber must be 8 letters and digits, not "1234567".',
      'line 4: CompanyName must not be empty.',
      'line 5: CompanyName and CompanyStatus must be text in UTF-8.',
    ],
  ],
  ['a line in Latin-1', Buffer.from(bulkFile(bulkFileLine('01234567', 'CAFÉ')), 'latin1'), [/^line 2: .* UTF-8\.$/]],
  ['too few cells', after('"ACME LTD","01234568"'), [badNumber, /^line \d+: .*Invalid Record Length: .*got 2/]],
  [
    'text behind a quotation mark',
    after(`"ACME"X,${bulkFileLine('01234568', 'A').slice(4)}`),
    [badNumber, /^line \d+: .*Closing Quote/],
  ],
  ['a quotation mark closed on another line', after('"ACME LTD,01234568'), [badNumber, /^line \d+: .*Closing Quote/]],
  ['a line without an end', after(`"${'A'.repeat(200_000)}`), [badNumber, /^line \d+: .*Max Record Size/]],
  ['a line of commas', after(','.repeat(300_000)), [badNumber, /^line 3: .*Max Record Size/]],
  [
    'faults without an end, after the first twenty',
    bulkFile(...Array.from({ length: 40 }, () => bulkFileLine('?', 'ACME LTD'))),
    Array.from({ length: 20 }, () => /CompanyNumber/),
  ],
])('reading the bulk file of the UK register refuses a file with %s', async (_, content, faults) => {
  expect(await refusal(readCompanies(content))).toEqual(
    faults.map((fault) => (typeof fault === 'string' ? fault : (expect.stringMatching(fault) as unknown))),
  );
});

test('reading the bulk file of the UK register gives companies in parts, long before the file ends, and lets the file go with its reader', async () => {
  let letGo = (): void => undefined;
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  // oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
  const endless = (async function* () {
    try {
      yield `${bulkFileHeader}\n`;
      for (let index = 0; ; index += 1) yield `${bulkFileLine(String(index).padStart(8, '0'), 'ACME LTD')}\n`;
    } finally {
      letGo();
    }
  })();
  const reading = readCompanyFile(endless);
  expect((await reading.next()).value).toHaveLength(5000);
  await reading.return(undefined);
  await gone;
});

test('reading the bulk file of the UK register tells an error of the file as it is', async () => {
  // oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
  const broken = (async function* () {
    yield `${bulkFileHeader}\n`;
    throw new Error('the disk is gone');
  })();
  await expect(readCompanyFile(broken).next()).rejects.toThrow('the disk is gone');
});

const [first] = corporationFileNames;

test('reading the files of the federal corporations gives number, business number, both names and the detailed status of each, file after file', async () => {
  const [detail, otherName] = ['Active - Dissolution Pending (non-compliance)', 'AIRMEC CLIMATISATION LTÉE'];
  const entries = await readCorporations(
    corporationFiles(
      { number: '8660115', businessNumber: '835752437', name: 'MINDANGLER "CAPITAL", INC.' },
      { number: '0821080', businessNumber: '100094283RC0001', name: 'AIRMEC AIR LTD.', otherName, detail },
    ),
  );
  expect(entries.slice(1, 3)).toEqual([
    {
      ...{ company_number: '8660115', business_number: '835752437', name: 'MINDANGLER "CAPITAL", INC.' },
      ...{ other_name: null, status: 'Active', file: first, line: 3 },
    },
    {
      ...{ company_number: '821080', business_number: '100094283', name: 'AIRMEC AIR LTD.' },
      ...{ other_name: otherName, status: detail, file: first, line: 4 },
    },
  ]);
  const expected = ['500100 Active', '600100 Dissolved', '700100 Inactive - Discontinued'];
  expect(entries.map(({ company_number: number, status }) => `${number} ${status}`).slice(3)).toEqual(expected);
});

test.each<[string, Content, RegExp]>([
  ['the UK register', bulkFile(bulkFileLine('01234567', 'ACME')), /: It is the UK register .* --register uk-com/],
  ['the French edition', corporationFile().replace('Corporation number', 'Numéro'), /: The header must name Corpor/],
  ['the former archive', Buffer.from('PK\u0003\u0004and so on', 'latin1'), /: It is a ZIP archive: unpack it/],
  ['a compressed file', Buffer.from([0x1f, 0x8b, 8, 0, 0]), /: It is compressed with gzip/],
  ['the former edition', '<?xml version="1.0"?>\n<cc:corpcan xmlns:cc="x">', /: It is the former XML edition/],
  ['other XML', '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', /: It is XML, not CSV/],
  ['a page', '\ufeff\n<!DOCTYPE html><title>404</title>', /: It is a web page/],
  ['JSON', '{"error": "not found"}', /: It is JSON/],
  ['UTF-16', Buffer.from(`\ufeff${corporationHeader}`, 'utf16le'), /: It is text in UTF-16/],
  ['a header alone', corporationFile(), /: It contains no company/],
])('reading the files of the federal corporations refuses %s, and tells what it is', async (_, content, message) => {
  const [fault = '', ...others] = (await refusal(
    readCorporations({ ...corporationFiles(), [first]: content }),
  )) as string[];
  expect([fault.replace(/:.*/, ''), fault, others]).toEqual([`${first} line 1`, expect.stringMatching(message), []]);
});

test('reading the files of the federal corporations tells each line that is no corporation, with its file', async () => {
  const lines = [
    { number: '', name: 'NO NUMBER INC.' },
    { number: '12-3', name: 'A HYPHEN INC.' },
    { number: '123', businessNumber: '12345678', name: 'EIGHT DIGITS INC.' },
    { number: '124', name: ' ' },
    { number: '125', name: 'NO STATUS INC.', status: '' },
    { number: '126', name: 'ANY INC.', otherName: 'SOCIÉTÉ' },
  ];
  const content = Buffer.from(corporationFile(...lines.map((line) => corporationLine(line))), 'latin1');
  expect(await refusal(readCorporations({ ...corporationFiles(), [first]: content }))).toEqual([
    `${first} line 2: Corporation number must be up to 10 digits, not "".`,
    `${first} line 3: Corporation number must be up to 10 digits, not "12-3".`,
    `${first} line 4: Business number (BN) must be 9 digits or empty, not "12345678".`,
    `${first} line 5: Corporate name - form 1 must not be empty.`,
    `${first} line 6: Status must not be empty.`,
    `${first} line 7: Names and status must be text in UTF-8.`,
  ]);
});
