/** Files that are made to hurt: each ends in time and memory, says why, and leaves the next one alone. */
import { execFile } from 'node:child_process';
import { access, cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { ReadDocument } from '../../src/analysis/extraction/read-document.ts';
import { readDocument } from '../../src/analysis/extraction/read-document.ts';
import { makeThumbnail } from '../../src/files/add-files.ts';
import { hostilePdfs, pdfOf, pdfOfStreams, showing } from '../support/write-pdf.ts';
import { lookAt, pictureOf, pngBomb } from '../support/images.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();
const limits = { milliseconds: 200_000, processorSeconds: 60, mebibytes: 256, pages: 2000, characters: 5_000_000 };

async function read(content: Buffer): Promise<ReadDocument> {
  return readDocument(await folder.write('file.pdf', content), 'application/pdf', undefined, limits);
}

const text = (number: string): object => ({ outcome: 'text', details: [{ value: number }] });
const noText = { outcome: 'no_text', pages: 1 };
const failed = (...codes: string[]): object => ({
  outcome: 'failed',
  failure: { code: expect.stringMatching(`^(?:${codes.join('|')})$`) },
});

const outcomes: Record<keyof typeof hostilePdfs, object> = {
  'a broken cross-reference table': text('01234567'),
  'a truncated file': failed('broken-file'),
  'noise behind the header': failed('broken-file'),
  'an image that calls itself a PDF': failed('broken-file'),
  'an empty file': failed('broken-file'),
  'a password that a user must enter': failed('encrypted-file'),
  '512 MB in 512 kB': failed('too-much-content', 'too-slow'),
  '512 MB, deflated three times': failed('too-much-content', 'too-slow'),
  'a page of 100 MB of operators': failed('too-much-content', 'too-slow'),
  'a page of 100 MB of text': failed('too-much-content', 'too-slow'),
  'a page tree that holds itself': failed('broken-file'),
  'a page tree of two nodes that hold each other': failed('broken-file'),
  'a million pages declared, one there': noText,
  'a million pages that are one': failed('too-much-content'),
  'a thousand million pages by nodes that share their kids': failed('too-much-content'),
  'arrays nested a million deep': failed('broken-file'),
  'dictionaries nested a million deep': failed('broken-file'),
  'arrays nested a million deep in a content stream': noText,
  'a form that draws itself': noText,
  'a thousand million forms': noText,
};

test.each(Object.entries(hostilePdfs))('%s', async (name, make) => {
  expect(await read(make())).toMatchObject(outcomes[name as keyof typeof hostilePdfs]);
});

test('no script of a file runs', async () => {
  const trace = join(folder.path, 'trace');
  const script = `process.getBuiltinModule('fs').writeFileSync('${trace}', '')`;
  const action = `<< /S /JavaScript /JS (${script.replace(/[()]/g, '\\$&')}) >>`;
  const withScripts = pdfOfStreams(
    [showing('Company number 01234567')],
    `/OpenAction ${action} /AA << /WC ${action} >> /Names << /JavaScript << /Names [(a) ${action}] >> >>`,
  );
  expect(withScripts.includes(script.slice(0, 20))).toBe(true);
  expect(await read(withScripts)).toMatchObject(text('01234567'));
  await expect(access(trace)).rejects.toThrow('ENOENT');
});

// On a machine that does much else, a thumbnail takes long.
const ample = { milliseconds: 60_000, processorSeconds: 60, mebibytes: 768 };

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
    `import { makeThumbnail } from './src/files/add-files.ts';
    console.log((await makeThumbnail(${file}, 'text/plain', { bounds: ${JSON.stringify(ample)} })).generic);`,
  );
  expect((await promisify(execFile)(process.execPath, [program])).stdout).toBe('false\n');
});
