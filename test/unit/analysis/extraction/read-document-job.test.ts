import { expect, test } from '@jest/globals';
import { InputFile } from '../../../../src/analysis/bounded-process/input-file.ts';
import { namesCompany } from '../../../../src/analysis/details/names-company.ts';
import type { ReadDocument } from '../../../../src/analysis/extraction/document.ts';
import { readFile as readDocument } from '../../../../src/analysis/extraction/read-document-job.ts';
import { hostilePdfs, pdfOf, pdfOfPicture } from '../../../support/write-pdf.ts';
import { withInputFile } from '../../../support/temporary-folder.ts';
import { pictureOf } from '../../../support/images.ts';

const pdf = 'application/pdf';
const limits = { pages: 3, characters: 1000 };

/** What is read of a file with this content. */
const read = (content: string | Buffer, mediaType: string): Promise<ReadDocument> =>
  withInputFile(content, (file) => readDocument({ mediaType, limits }, file));

/** So many characters, in lines that a page has room for. */
const linesOf = (characters: number) => `${'x'.repeat(59)}\n`.repeat(characters / 60);

const lines = 'Invoice of Smith & Jones Limited\nCompany number\n01234567';

test('a PDF is read page by page, line by line', async () => {
  const reading = await read(pdfOf(['nothing here', lines, 'VAT no. GB 123 4567 82']), pdf);
  expect(reading).toMatchObject({
    outcome: 'text',
    pages: 3,
    details: [
      { kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: 2 },
      { kind: 'uk-vat-number', value: 'GB123456782', found_as: 'GB 123 4567 82', page: 3 },
    ],
  });
  if (reading.outcome !== 'text') throw new Error('no text');
  expect(reading.characters).toBeGreaterThan(lines.length);
  expect(namesCompany(reading.comparableText, 'SMITH AND JONES LTD')).toBe(true);
  expect(namesCompany(reading.comparableText, 'SMITH LTD')).toBe(false);
});

test('the text of a document without details is left behind', async () => {
  expect(await read('nothing here', 'text/plain')).toMatchObject({ details: [], comparableText: '' });
});

test.each([
  ['UTF-8', Buffer.from(lines)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${lines}`)],
])('a text file in %s is read, and has no pages', async (_, content) => {
  expect(await read(content, 'text/plain')).toMatchObject({
    outcome: 'text',
    pages: null,
    characters: lines.length,
    details: [{ kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: null }],
  });
});

test('what has no text says so, also a scan', async () => {
  const scan = pdfOfPicture(pictureOf('image/jpeg', 60, 80), 60, 80);
  expect(await read(scan, pdf)).toEqual({ outcome: 'no_text', pages: 1 });
  expect(await read(pdfOf(['', ' ']), pdf)).toEqual({ outcome: 'no_text', pages: 2 });
  expect(await read(' \n', 'text/plain')).toEqual({ outcome: 'no_text', pages: null });
});

test('more than the limits allow is refused, not read in part', async () => {
  const most = 'x'.repeat(limits.characters);
  expect(await read(most, 'text/plain')).toMatchObject({ outcome: 'text', characters: limits.characters });
  for (const [content, mediaType] of [
    [`${most}x`, 'text/plain'],
    [most.repeat(5), 'text/plain'],
    [pdfOf([linesOf(600), linesOf(600)]), pdf],
    [pdfOf(['1', '2', '3', '4']), pdf],
  ] as const) {
    expect(await read(content, mediaType)).toMatchObject({ outcome: 'failed', failure: { code: 'too-much-content' } });
  }
});

test('bytes that are no text are a broken file', async () => {
  const failure = { code: 'broken-file', message: 'The text is not UTF-8.' };
  expect(await read(Buffer.from([0x61, 0xff, 0x62]), 'text/plain')).toEqual({ outcome: 'failed', failure });
});

test('a PDF that is none is a broken file, and one with a password an encrypted file', async () => {
  for (const [content, code] of [
    [hostilePdfs['a truncated file'](), 'broken-file'],
    [hostilePdfs['a password that a user must enter'](), 'encrypted-file'],
  ] as const) {
    expect(await read(content, pdf)).toMatchObject({ outcome: 'failed', failure: { code } });
  }
});

const noDescriptor = 1_000_000;

test('what nobody foresaw is thrown', async () => {
  await expect(readDocument({ mediaType: 'text/plain', limits }, new InputFile(noDescriptor))).rejects.toThrow('EBADF');
});
