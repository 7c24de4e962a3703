import { expect, test } from '@jest/globals';
import type { MediaType } from '../../../src/files/media-type.ts';
import drawThumbnail from '../../../src/files/thumbnail-job.ts';
import { lookAt, pictureOf, pngBomb } from '../../support/images.ts';
import { withInputFile } from '../../support/temporary-folder.ts';
import { pdfOf } from '../../support/write-pdf.ts';

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
