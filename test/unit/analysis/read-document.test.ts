import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { namesCompany } from '../../../src/analysis/details/names-company.ts';
import { type ReadDocument, readDocument } from '../../../src/analysis/extraction/read-document.ts';
import { readFile as readHere } from '../../../src/analysis/extraction/read-document-job.ts';
import { boundsOfReading } from '../../../src/analysis/extraction/reading-bounds.ts';
import { pictureOf } from '../../support/images.ts';
import { TemporaryFolder, withInputFile } from '../../support/temporary-folder.ts';
import { hostilePdfs, pdfOf, pdfOfPicture } from '../../support/write-pdf.ts';
import { receive, send } from '../../../src/analysis/bounded-process/message.ts';

const [pdf, text] = ['application/pdf', 'text/plain'];
const limits = { pages: 3, characters: 1000 };

const read = (content: string | Buffer, mediaType: string): Promise<ReadDocument> =>
  withInputFile(content, (file) => readHere({ mediaType, limits }, file));

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

const found = [{ kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: null }];
const tooMuch = { outcome: 'failed', failure: { code: 'too-much-content' } };
const withPassword = hostilePdfs['a password that a user must enter']();
const most = 'x'.repeat(limits.characters);
test.each<[string, string | Buffer, string, object]>([
  ['a text file has no pages', lines, text, { pages: null, characters: lines.length, details: found }],
  ['nor has one with a byte order mark', `\ufeff${lines}`, text, { characters: lines.length, details: found }],
  ['the text of a document without details is left behind', 'nothing', text, { details: [], comparableText: '' }],
  ['a scan has no text', pdfOfPicture(pictureOf('image/jpeg', 60, 80), 60, 80), pdf, { outcome: 'no_text', pages: 1 }],
  ['nor have empty pages', pdfOf(['', ' ']), pdf, { outcome: 'no_text', pages: 2 }],
  ['nor has an empty file', ' \n', text, { outcome: 'no_text', pages: null }],
  ['as much as the limits allow is read', most, text, { outcome: 'text', characters: limits.characters }],
  ['more is refused, not read in part', `${most}x`, text, tooMuch],
  ['much more is refused', most.repeat(5), text, tooMuch],
  ['more in all pages is refused', pdfOf([linesOf(600), linesOf(600)]), pdf, tooMuch],
  ['more pages are refused', pdfOf(['1', '2', '3', '4']), pdf, tooMuch],
  [
    ...(['bytes that are no text are a broken file', Buffer.from([0x61, 0xff, 0x62]), text] as const),
    { failure: { code: 'broken-file', message: 'The text is not UTF-8.' } },
  ],
  ['a cut PDF is a broken file', hostilePdfs['a truncated file'](), pdf, { failure: { code: 'broken-file' } }],
  ['one with a password is encrypted', withPassword, pdf, { failure: { code: 'encrypted-file' } }],
])('%s', async (_, content, mediaType, reading) => {
  expect(await read(content, mediaType)).toMatchObject(reading);
});

const folder = await TemporaryFolder.make();

const bounds = { milliseconds: 60_000, processorSeconds: 60, mebibytes: 256, ...limits };

test('past its bounds of time and memory, a reading has failed', async () => {
  const path = await folder.write('file', 'text');
  // Long enough that a process which is killed late, on a busy machine, has not read it.
  const long = await folder.write('long', 'company number 0123456 '.repeat(1_000_000));
  expect(await readDocument(long, text, undefined, { ...bounds, characters: 1e9, milliseconds: 1 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-slow', message: expect.stringContaining('60 s of processor time, or 0.001 s in total') },
  });
  expect(await readDocument(path, text, undefined, { ...bounds, mebibytes: 20 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-much-content', message: 'Reading the file took more memory than 20 MiB.' },
  });
});

test('what nobody foresaw is an internal error, with the cause for the log', async () => {
  await expect(readHere({ mediaType: text, limits }, 1_000_000)).rejects.toThrow('EBADF');
  expect(await readDocument(folder.path, pdf, undefined, bounds)).toEqual({
    outcome: 'failed',
    failure: { code: 'internal-error', message: 'Reading the file failed unexpectedly.' },
    cause: expect.stringContaining('Error'),
  });
});

test('an image has no text, and is not opened; reading is given up when its signal is aborted', async () => {
  expect(await readDocument('/no/such/file', 'image/png')).toEqual({ outcome: 'no_text', pages: null });
  const reason = new Error('stopped');
  await expect(readDocument('/no/such/file', text, AbortSignal.abort(reason), bounds)).rejects.toBe(reason);
});

test('a small file gets less time than a large one, and none more than a minute', () => {
  const boundsOf = (bytes: number) => Object.values(boundsOfReading(bytes)) as unknown;
  expect(boundsOfReading(752)).toEqual({ milliseconds: 30_000, processorSeconds: 5, mebibytes: 512 });
  expect([boundsOf(100_000), boundsOf(64 * 2 ** 20)]).toEqual([
    [60_000, 10, 512],
    [60_000, 60, 512],
  ]);
});

test.each([1, 7, 1000])('the message of a job is received in pieces of %i bytes, whole or not at all', async (size) => {
  const path = await folder.write('message', '');
  const [descriptor, bytes] = [openSync(path, 'w'), Buffer.alloc(100, 1)];
  send(descriptor, { outcome: 'done' }, bytes);
  closeSync(descriptor);
  const content = await readFile(path);
  const piecesOf = (length: number) =>
    Readable.from(
      Array.from({ length: Math.ceil(length / size) }, (_, at) =>
        content.subarray(at * size, length).subarray(0, size),
      ),
    );
  expect(await receive(piecesOf(content.length), 100)).toEqual({ outcome: { outcome: 'done' }, bytes });
  expect(await receive(piecesOf(content.length - 1), 100)).toBeUndefined();
  await expect(receive(piecesOf(content.length), 99)).rejects.toThrow('and 100 more bytes');
  const closed = new Readable({ read: () => closed.destroy(new Error('closed')) });
  expect(await receive(closed, 0)).toBeUndefined();
});
