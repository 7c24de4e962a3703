import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readDocument } from '../../../../src/analysis/extraction/read-document.ts';
import { TemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

const limits = { milliseconds: 60_000, processorSeconds: 60, mebibytes: 256, pages: 3, characters: 1000 };

test('an image has no text, and is not opened', async () => {
  expect(await readDocument('/no/such/file', 'image/png')).toEqual({ outcome: 'no_text', pages: null });
});

test('past its bounds of time and memory, a reading has failed', async () => {
  const path = await folder.write('file', 'text');
  expect(await readDocument(path, 'text/plain', undefined, { ...limits, milliseconds: 1 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-slow', message: expect.stringContaining('60 s of processor time, or 0.001 s in total') },
  });
  expect(await readDocument(path, 'text/plain', undefined, { ...limits, mebibytes: 20 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-much-content', message: 'Reading the file took more memory than 20 MiB.' },
  });
});

test('what nobody foresaw is an internal error, with the cause for the log', async () => {
  expect(await readDocument(folder.path, 'application/pdf', undefined, limits)).toEqual({
    outcome: 'failed',
    failure: { code: 'internal-error', message: 'Reading the file failed unexpectedly.' },
    cause: expect.stringContaining('Error'),
  });
});

test('reading is given up when its signal is aborted', async () => {
  const reason = new Error('stopped');
  const signal = AbortSignal.abort(reason);
  await expect(readDocument('/no/such/file', 'text/plain', signal, limits)).rejects.toBe(reason);
});
