import { open } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { detectMediaType, type MediaType } from '../../../src/files/media-type.ts';
import { pictureOf, lookAt, pngBomb } from '../../support/images.ts';
import { pdfOf } from '../../support/write-pdf.ts';
import { TemporaryFolder, withInputFile } from '../../support/temporary-folder.ts';
import drawThumbnail from '../../../src/files/thumbnail-job.ts';

const folder = await TemporaryFolder.make();

const text = 'text/plain';
test.each<[string, string | Uint8Array, string | undefined]>([
  ...(['image/png', 'image/jpeg', 'image/webp'] as const).map((format): [string, Buffer, string] => [
    format,
    pictureOf(format, 3, 2),
    format,
  ]),
  ['PDF', pdfOf(['Invoice']), 'application/pdf'],
  ['words', 'Company number 01234567\r\n\tVAT GB 123 4567 82\n\f', text],
  ['a byte order mark', '\ufeffUne société\n', text],
  ['all scripts', '株式会社 🏢 Общество', text],
  ['a beginning like that of a bitmap', 'BMW Ltd, company number 01234567', text],
  ['a beginning like that of a program', 'MZ Holdings Limited', text],
  ['characters of several bytes across the reader’s chunks', `x${'é'.repeat(100_000)}`, text],
  ['a zip archive', 'PK\x03\x04 and so on', undefined],
  ['another image format', 'GIF89a\x01\0\x01\0\x80\0\0', undefined],
  ['text in UTF-16', Buffer.from('\ufefftext', 'utf16le'), undefined],
  ['text in Latin-1', Buffer.from('société', 'latin1'), undefined],
  ['a text that is cut within a character', Buffer.from('société').subarray(0, -1), undefined],
  ['a control character', 'a\x1b[2J', undefined],
  ['one byte that is no text, far behind', Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.of(0xff)]), undefined],
])('the media type of a file is known by its content: %s', async (_, content, mediaType) => {
  const file = await open(await folder.write('invoice.docx', content));
  try {
    expect(await detectMediaType(file)).toBe(mediaType);
  } finally {
    await file.close();
  }
});

async function draw(content: string | Uint8Array, mediaType: MediaType, generic = false) {
  const { bytes: webp } = await withInputFile(content, (file) => drawThumbnail({ mediaType, generic }, file));
  expect(Buffer.from(webp).toString('latin1', 0, 12)).toMatch(/^RIFF....WEBP$/s);
  return lookAt(webp);
}

test.each([
  ['shows all of it, in its proportions', 'image/png', [2000, 1000], [256, 128]],
  ['shows all of it, in its proportions', 'image/jpeg', [2000, 1000], [256, 128]],
  ['shows all of it, in its proportions', 'image/webp', [2000, 1000], [256, 128]],
  ['is as small', 'image/png', [20, 10], [20, 10]],
  ['has at least one pixel each way', 'image/png', [3000, 1], [256, 1]],
] as const)('a thumbnail of a picture %s (%s, %j)', async (_, format, [across, down], [width, height]) => {
  const drawn = await draw(pictureOf(format, across, down), format);
  expect(drawn).toMatchObject({ width, height, ...(height > 1 && { marked: width * height }) });
});

test('a thumbnail of a PDF shows its first page', async () => {
  const full = await draw(pdfOf(['Invoice 42\n'.repeat(40), '']), 'application/pdf');
  expect(full).toMatchObject({ width: 198, height: 256 });
  expect(full.marked).toBeGreaterThan(100);
  expect(await draw(pdfOf(['', 'x']), 'application/pdf')).toMatchObject({ marked: 0 });
});

test('a thumbnail of a text shows its first lines, however many and long they are', async () => {
  const full = await draw(`${'many words '.repeat(10_000)}\n`.repeat(50), 'text/plain');
  const [one, two, none] = [
    await draw('many words', 'text/plain'),
    await draw('\tmany words\r\nmany words', 'text/plain'),
    await draw('\n \n', 'text/plain'),
  ];
  expect(full).toMatchObject({ width: 181, height: 256 });
  expect([two.marked > one.marked, full.marked > two.marked, none.marked]).toEqual([true, true, 0]);
});

test.each(['application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/plain'] as const)(
  'a thumbnail that shows the media type alone: %s',
  async (mediaType) => {
    const drawn = await draw('', mediaType, true);
    expect(drawn).toMatchObject({ width: 181, height: 256 });
    expect(drawn.marked).toBeGreaterThan(500);
  },
);

test('a thumbnail is not drawn of a picture of very many pixels', async () => {
  await expect(draw(pngBomb(10_001, 10_000), 'image/png')).rejects.toThrow('10001 x 10000 pixels');
});
