import { describe, expect, test } from '@jest/globals';
import { BulkFileError, readBulkFile } from '../../../src/analysis/registries/register-file.ts';
import type { RegisterEntry } from '../../../src/store/company-register-store.ts';
import { bulkFile, bulkFileHeader, bulkFileLine } from '../../support/bulk-file.ts';

/** Reads a text that comes in pieces, which end within characters and lines. */
async function read(text: string | Buffer, sizeOfPiece = 7): Promise<RegisterEntry[]> {
  const bytes = Buffer.from(text as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / sizeOfPiece) }, (_, index) =>
    bytes.subarray(index * sizeOfPiece, (index + 1) * sizeOfPiece),
  );
  const entries: RegisterEntry[] = [];
  // oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
  const file = (async function* () {
    yield* pieces;
  })();
  for await (const part of readBulkFile(file)) entries.push(...part);
  return entries;
}

const refusal = (text: string | Buffer): Promise<readonly unknown[]> =>
  read(text).then(
    () => [],
    (error: unknown) => {
      if (error instanceof BulkFileError) return error.faults;
      throw error;
    },
  );

describe('reading the bulk file of the UK register', () => {
  test('the header of the tests is that of the product: 55 columns, some behind a space', () => {
    expect(bulkFileHeader.split(',')).toHaveLength(55);
    expect(bulkFileHeader).toMatch(/^CompanyName, CompanyNumber,/);
  });

  test('gives number, name, status and line of each company', async () => {
    const text = bulkFile(
      bulkFileLine('01234567', 'ACME LTD'),
      bulkFileLine('SC123456', 'SAY "CHEESE", & CO LIMITED', 'Active - Proposal to Strike off'),
      bulkFileLine('ip00001r', ' CAFÉ ß😀 LLP ', ''),
    );
    const expected = [
      { company_number: '01234567', name: 'ACME LTD', status: 'Active', line: 2 },
      {
        company_number: 'SC123456',
        name: 'SAY "CHEESE", & CO LIMITED',
        status: 'Active - Proposal to Strike off',
        line: 3,
      },
      { company_number: 'IP00001R', name: 'CAFÉ ß😀 LLP', status: '', line: 4 },
    ];
    expect(await read(text)).toEqual(expected);
    expect(await read(`\ufeff${text.replaceAll('\r\n', '\n')}\n\n`)).toEqual(expected);
  });

  test('finds its columns by their names, wherever they stand', async () => {
    const text = 'New,CompanyStatus, CompanyNumber,CompanyName\n1,Active,01234567,ACME LTD\n';
    expect(await read(text)).toMatchObject([{ company_number: '01234567', name: 'ACME LTD', status: 'Active' }]);
  });

  test.each([
    ['no header', bulkFileLine('01234567', 'ACME LTD'), /must name CompanyName, CompanyNumber, CompanyStatus once/],
    ['another header', 'id;name\n1;a\n', /must name CompanyName, CompanyNumber, CompanyStatus once/],
    ['a column that is missing', 'CompanyName,CompanyNumber\nA,01234567\n', /must name CompanyStatus once/],
    ['a column twice', 'CompanyName,CompanyName,CompanyNumber,CompanyStatus\n', /must name CompanyName once/],
    ['no company', bulkFile(), /It contains no company/],
  ])('refuses a file with %s at its first line', async (_, text, message) => {
    expect(await refusal(text)).toEqual([{ place: 'line 1', message: expect.stringMatching(message) as unknown }]);
  });

  test('refuses an empty file', async () => {
    expect(await refusal('')).toMatchObject([{ place: 'line 1' }]);
  });

  test('tells each line that is no company', async () => {
    const text = bulkFile(
      bulkFileLine('01234567', 'ACME LTD'),
      bulkFileLine('1234567', 'SEVEN DIGITS LTD'),
      bulkFileLine('01234568', ' '),
      bulkFileLine('01234569', 'NUL \0 LTD'),
    );
    expect(await refusal(text)).toEqual([
      { place: 'line 3', message: 'CompanyNumber must be 8 letters and digits, not "1234567".' },
      { place: 'line 4', message: 'CompanyName must not be empty.' },
      { place: 'line 5', message: 'CompanyName and CompanyStatus must be text in UTF-8.' },
    ]);
  });

  test('tells a line that is not text in UTF-8', async () => {
    const text = Buffer.from(bulkFile(bulkFileLine('01234567', 'CAFÉ LTD')), 'latin1');
    expect(await refusal(text)).toMatchObject([
      { place: 'line 2', message: expect.stringContaining('UTF-8') as unknown },
    ]);
  });

  test('reads no further after twenty faults', async () => {
    const faults = await refusal(bulkFile(...Array.from({ length: 40 }, () => bulkFileLine('?', 'ACME LTD'))));
    expect(faults).toHaveLength(20);
  });

  test.each([
    ['with too few cells', '"ACME LTD","01234568"', /Invalid Record Length: .*got 2/],
    ['with text behind a quotation mark', `"ACME"X,${bulkFileLine('01234568', 'A').slice(4)}`, /Closing Quote/],
    ['whose quotation mark another line closes', '"ACME LTD,01234568', /Closing Quote/],
    ['without an end', `"${'A'.repeat(200_000)}`, /Max Record Size/],
  ])('tells a line %s, after the faults before it', async (_, line, message) => {
    const text = bulkFile(bulkFileLine('?', 'ACME LTD'), line, bulkFileLine('01234569', 'ACME LTD'));
    expect(await refusal(text)).toEqual([
      { place: 'line 2', message: expect.stringContaining('CompanyNumber') as unknown },
      { place: expect.stringMatching(/^line \d+$/) as unknown, message: expect.stringMatching(message) as unknown },
    ]);
  });

  test('gives companies in parts, long before the file ends, and lets the file go with its reader', async () => {
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
    const reading = readBulkFile(endless);
    expect((await reading.next()).value).toHaveLength(5000);
    await reading.return(undefined);
    await gone;
  });

  test('an error of the file is told as it is', async () => {
    // oxlint-disable-next-line @typescript-eslint/require-await -- what is read comes as it does from a file
    const broken = (async function* () {
      yield `${bulkFileHeader}\n`;
      throw new Error('the disk is gone');
    })();
    await expect(readBulkFile(broken).next()).rejects.toThrow('the disk is gone');
  });
});
