import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeThumbnail } from '../../../src/files/make-thumbnail.js';
import { hostilePdfs } from '../../support/hostile-pdfs.js';
import { lookAt, pictureOf, pngBomb } from '../../support/images.js';
import { pdfOf } from '../../support/write-pdf.js';
import { TemporaryFolder } from '../../support/temporary-folder.js';

// Each thumbnail is drawn in a process of its own, which compiles its sources first.
const patience = 120_000;

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

type MediaType = Parameters<typeof makeThumbnail>[1];

// On a machine that does much else, that takes long.
const ample = { milliseconds: 60_000, mebibytes: 768 };

async function draw(content: string | Uint8Array, mediaType: MediaType, bounds = ample) {
  const { webp, generic } = await makeThumbnail(await folder.write('file', content), mediaType, { bounds });
  expect(Buffer.from(webp).toString('latin1', 0, 12)).toMatch(/^RIFF....WEBP$/s);
  return { generic, ...(await lookAt(webp)) };
}

describe('a thumbnail', () => {
  test.each(['image/png', 'image/jpeg', 'image/webp'] as const)(
    'of a picture (%s) shows all of it, in its proportions',
    async (format) => {
      const drawn = await draw(pictureOf(format, 2000, 1000), format);
      expect(drawn).toEqual({ generic: false, width: 256, height: 128, marked: 256 * 128 });
    },
    patience,
  );

  test(
    'of a small picture is as small',
    async () => {
      const drawn = await draw(pictureOf('image/png', 20, 10), 'image/png');
      expect(drawn).toEqual({ generic: false, width: 20, height: 10, marked: 200 });
    },
    patience,
  );

  test(
    'of a PDF shows its first page',
    async () => {
      const [full, empty] = [
        await draw(pdfOf(['Invoice 42\n'.repeat(40), '']), 'application/pdf'),
        await draw(pdfOf(['', 'x']), 'application/pdf'),
      ];
      expect(full).toMatchObject({ generic: false, width: 198, height: 256 });
      expect(full.marked).toBeGreaterThan(100);
      expect(empty).toMatchObject({ generic: false, marked: 0 });
    },
    patience,
  );

  test(
    'of a text shows its first lines, however many and long they are',
    async () => {
      const drawn = await draw(`${'many words '.repeat(10_000)}\n`.repeat(50), 'text/plain');
      expect(drawn).toMatchObject({ generic: false, width: 181, height: 256 });
      expect((await draw('\n \n', 'text/plain')).marked).toBe(0);
      expect(drawn.marked).toBeGreaterThan(0);
    },
    patience,
  );
});

describe('a thumbnail shows the media type alone', () => {
  const generic = { generic: true, width: 181, height: 256 };

  test.each([
    ['a broken picture', () => pictureOf('image/png', 9, 9).subarray(0, 40), 'image/png'],
    ['a picture of 2,500,000,000 pixels', () => pngBomb(50_000, 50_000), 'image/png'],
    ['a PDF that is none', hostilePdfs['noise behind the header'], 'application/pdf'],
    ['a PDF with a password', hostilePdfs['a password that a user must enter'], 'application/pdf'],
  ] as const)(
    'of %s',
    async (_, content, mediaType) => {
      const drawn = await draw(content(), mediaType);
      expect(drawn).toMatchObject(generic);
      expect(drawn.marked).toBeGreaterThan(0);
    },
    patience,
  );

  test(
    'of a PDF that takes too long',
    async () => {
      const bounds = { milliseconds: 8000, mebibytes: 4096 };
      expect(await draw(hostilePdfs['a thousand million forms'](), 'application/pdf', bounds)).toMatchObject(generic);
    },
    patience,
  );

  test(
    'of a PDF that takes too much memory',
    async () => {
      expect(await draw(hostilePdfs['512 MB in 512 kB'](), 'application/pdf')).toMatchObject(generic);
    },
    patience,
  );
});
