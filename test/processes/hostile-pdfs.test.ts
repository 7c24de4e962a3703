/** PDF files that are made to hurt: each ends in time and memory, says why, and leaves the next one alone. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ReadDocument } from '../../src/analysis/extraction/document.ts';
import { readDocument } from '../../src/analysis/extraction/read-document.ts';
import { hostilePdfs } from '../support/hostile-pdfs.ts';
import { pdfOf, pdfOfStreams, showing } from '../support/write-pdf.ts';

const limits = { milliseconds: 200_000, processorSeconds: 60, mebibytes: 256, pages: 2000, characters: 5_000_000 };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-analysis-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: Buffer): Promise<ReadDocument> {
  const path = join(folder, 'file.pdf');
  await writeFile(path, content);
  return readDocument(path, 'application/pdf', undefined, limits);
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

test('after all of them, a good file is read', async () => {
  expect(await read(pdfOf(['Company number 01234567']))).toMatchObject(text('01234567'));
});

test('no script of a file runs', async () => {
  const trace = join(folder, 'trace');
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
