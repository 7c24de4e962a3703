import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeThumbnail } from '../../src/files/make-thumbnail.ts';
import { hostilePdfs } from '../support/hostile-pdfs.ts';
import { lookAt, pictureOf, pngBomb } from '../support/images.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { pdfOf } from '../support/write-pdf.ts';

// On a machine that does much else, a thumbnail takes long.
const ample = { milliseconds: 60_000, processorSeconds: 60, mebibytes: 768 };

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

async function make(content: string | Uint8Array, mediaType: Parameters<typeof makeThumbnail>[1], bounds = ample) {
  const { webp, generic } = await makeThumbnail(await folder.write('file', content), mediaType, { bounds });
  return { generic, ...(await lookAt(webp)) };
}

test('a thumbnail shows the content of a file that can be drawn within the bounds', async () => {
  const drawn = await make(pdfOf(['Invoice 42\n'.repeat(40)]), 'application/pdf');
  expect(drawn).toMatchObject({ generic: false, width: 198, height: 256 });
  expect(drawn.marked).toBeGreaterThan(100);
});

describe('a thumbnail only shows the media type', () => {
  const generic = { generic: true, width: 181, height: 256 };

  test.each([
    ['a broken picture', () => pictureOf('image/png', 9, 9).subarray(0, 40), 'image/png'],
    ['a picture of 2,500,000,000 pixels', () => pngBomb(50_000, 50_000), 'image/png'],
    ['a PDF that is none', hostilePdfs['noise behind the header'], 'application/pdf'],
    ['a PDF with a password', hostilePdfs['a password that a user must enter'], 'application/pdf'],
    ['a PDF that takes too much memory', hostilePdfs['512 MB in 512 kB'], 'application/pdf'],
  ] as const)('of %s', async (_, content, mediaType) => {
    expect(await make(content(), mediaType)).toMatchObject(generic);
  });

  test('of a PDF that takes too long', async () => {
    const bounds = { milliseconds: 8000, processorSeconds: 8, mebibytes: 4096 };
    expect(await make(hostilePdfs['a thousand million forms'](), 'application/pdf', bounds)).toMatchObject(generic);
  });
});

test('no thumbnail is made when that is aborted', async () => {
  const path = await folder.write('file', hostilePdfs['a thousand million forms']());
  const stopping = new AbortController();
  const making = makeThumbnail(path, 'application/pdf', { bounds: ample, signal: stopping.signal });
  const reason = new Error('stopped');
  stopping.abort(reason);
  await expect(making).rejects.toBe(reason);
});

test('a thumbnail is drawn where node_modules is a link', async () => {
  for (const part of ['package.json', 'generated', 'src']) await cp(part, join(folder.path, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder.path, 'node_modules'));
  const file = JSON.stringify(await folder.write('file', 'Hello'));
  const program = await folder.write(
    'draw.ts',
    `import { makeThumbnail } from './src/files/make-thumbnail.ts';
    console.log((await makeThumbnail(${file}, 'text/plain', { bounds: ${JSON.stringify(ample)} })).generic);`,
  );
  expect((await promisify(execFile)(process.execPath, [program])).stdout).toBe('false\n');
});
