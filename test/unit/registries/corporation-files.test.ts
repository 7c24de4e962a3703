import { describe, expect, test } from '@jest/globals';
import { BulkFileError, readCorporationFiles } from '../../../src/analysis/registries/register-file.ts';
import type { RegisterEntry } from '../../../src/store/company-register-store.ts';
import {
  bulkFile,
  bulkFileLine,
  corporationFile,
  corporationFileNames,
  corporationFiles,
  corporationHeader,
  corporationLine,
} from '../../support/bulk-file.ts';

type Files = Partial<Record<(typeof corporationFileNames)[number], string | Buffer>>;

async function read(files: Files): Promise<RegisterEntry[]> {
  const inputs = Object.entries(files).map(([name, text]) => {
    const bytes = Buffer.from(text as string);
    // In pieces that end within characters and lines.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 700) }, (_, at) =>
      bytes.subarray(at * 700, (at + 1) * 700),
    );
    // oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
    const content = (async function* () {
      yield* pieces;
    })();
    return { name, content };
  });
  const entries: RegisterEntry[] = [];
  for await (const part of readCorporationFiles(inputs)) entries.push(...part);
  return entries;
}

const refusal = (files: Files): Promise<unknown> =>
  read(files).catch((error: unknown) => {
    if (error instanceof BulkFileError) return error.faults;
    throw error;
  });

const [first] = corporationFileNames;

describe('reading the files of the federal corporations', () => {
  test('the header of the tests is that of the publisher: 18 columns', () => {
    expect(corporationHeader.split(',')).toHaveLength(18);
  });

  test('gives number, business number, both names and the detailed status of each, file after file', async () => {
    const entries = await read(
      corporationFiles(
        { number: '8660115', businessNumber: '835752437', name: 'MINDANGLER "CAPITAL", INC.' },
        {
          ...{ number: '0821080', businessNumber: '100094283RC0001', name: 'AIRMEC AIR LTD.' },
          ...{ otherName: 'AIRMEC CLIMATISATION LTÉE', detail: 'Active - Dissolution Pending (non-compliance)' },
        },
      ),
    );
    expect(entries.slice(1, 3)).toEqual([
      {
        company_number: '8660115',
        business_number: '835752437',
        name: 'MINDANGLER "CAPITAL", INC.',
        other_name: null,
        status: 'Active',
        file: first,
        line: 3,
      },
      {
        company_number: '821080',
        business_number: '100094283',
        name: 'AIRMEC AIR LTD.',
        other_name: 'AIRMEC CLIMATISATION LTÉE',
        status: 'Active - Dissolution Pending (non-compliance)',
        file: first,
        line: 4,
      },
    ]);
    expect(entries.map(({ company_number: number, status }) => `${number} ${status}`).slice(3)).toEqual([
      '500100 Active',
      '600100 Dissolved',
      '700100 Inactive - Discontinued',
    ]);
  });

  test.each(corporationFileNames)('refuses a register without %s, whatever the files are called', async (missing) => {
    const others = Object.entries(corporationFiles()).filter(([name]) => name !== missing);
    expect(await refusal(Object.fromEntries(others))).toEqual([
      { place: 'the register', message: `It has no line that belongs in ${missing}. Import all four files.` },
    ]);
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['the UK register', bulkFile(bulkFileLine('01234567', 'ACME LTD')), /^It is the UK register .* --register uk-com/],
    [
      'the French edition',
      corporationFile().replace('Corporation number', 'Numéro'),
      /^The header must name Corporation number/,
    ],
    ['the former archive', Buffer.from('PK\u0003\u0004and so on', 'latin1'), /^It is a ZIP archive: unpack it/],
    ['a compressed file', Buffer.from([0x1f, 0x8b, 8, 0, 0]), /^It is compressed with gzip/],
    [
      'the former edition',
      '<?xml version="1.0"?>\n<cc:corpcan xmlns:cc="http://www.ic.gc.ca/corpcan">',
      /^It is the former XML edition/,
    ],
    ['other XML', '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', /^It is XML, not CSV/],
    ['a page', '\ufeff\n<!DOCTYPE html><title>404</title>', /^It is a web page/],
    ['JSON', '{"error": "not found"}', /^It is JSON/],
    ['UTF-16', Buffer.from(`\ufeff${corporationHeader}`, 'utf16le'), /^It is text in UTF-16/],
    ['nothing', '', /^It contains no company/],
    ['a header alone', corporationFile(), /^It contains no company/],
  ])('refuses %s, and tells what it is', async (_, content, message) => {
    expect(await refusal({ ...corporationFiles(), [first]: content })).toEqual([
      { place: `${first} line 1`, message: expect.stringMatching(message) as unknown },
    ]);
  });

  test('tells each line that is no corporation, with its file', async () => {
    const content = corporationFile(
      corporationLine({ number: '', name: 'NO NUMBER INC.' }),
      corporationLine({ number: '12-3', name: 'A HYPHEN INC.' }),
      corporationLine({ number: '123', businessNumber: '12345678', name: 'EIGHT DIGITS INC.' }),
      corporationLine({ number: '124', name: ' ' }),
      corporationLine({ number: '125', name: 'NO STATUS INC.', status: '' }),
    );
    expect(await refusal({ ...corporationFiles(), [first]: content })).toEqual([
      { place: `${first} line 2`, message: 'Corporation number must be up to 10 digits, not "".' },
      { place: `${first} line 3`, message: 'Corporation number must be up to 10 digits, not "12-3".' },
      { place: `${first} line 4`, message: 'Business number (BN) must be 9 digits or empty, not "12345678".' },
      { place: `${first} line 5`, message: 'Corporate name - form 1 must not be empty.' },
      { place: `${first} line 6`, message: 'Status must not be empty.' },
    ]);
  });

  test('tells a line that is not text in UTF-8', async () => {
    const line = corporationLine({ number: '123', name: 'ANY INC.', otherName: 'SOCIÉTÉ' });
    const content = Buffer.from(corporationFile(line), 'latin1');
    expect(await refusal({ ...corporationFiles(), [first]: content })).toEqual([
      { place: `${first} line 2`, message: 'Names and status must be text in UTF-8.' },
    ]);
  });
});
