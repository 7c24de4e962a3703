import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readDocument } from '../../../../src/analysis/extraction/read-document.ts';
import { TemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

const limits = { milliseconds: 60_000, mebibytes: 256, pages: 3, characters: 1000 };

test('an image has no text, and is not opened', async () => {
  expect(await readDocument('/no/such/file', 'image/png')).toEqual({ outcome: 'no_text', pages: null });
});

test('past its bounds of time and memory, a reading has failed', async () => {
  // A pipe that nobody writes to: reading it does not end by itself.
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  expect(await readDocument(path, 'text/plain', undefined, { ...limits, milliseconds: 1 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-slow', message: 'Reading the file took longer than 0.001 s.' },
  });
  expect(await readDocument(path, 'text/plain', undefined, { ...limits, mebibytes: 20 })).toEqual({
    outcome: 'failed',
    failure: { code: 'too-much-content', message: 'Reading the file took more memory than 20 MiB.' },
  });
});

test('what nobody foresaw is an internal error, with the cause for the log', async () => {
  expect(await readDocument('/no/such/file', 'text/plain', undefined, limits)).toEqual({
    outcome: 'failed',
    failure: { code: 'internal-error', message: 'Reading the file failed unexpectedly.' },
    cause: expect.stringContaining('ENOENT'),
  });
});

test('reading is given up when its signal is aborted', async () => {
  const reason = new Error('stopped');
  const signal = AbortSignal.abort(reason);
  await expect(readDocument('/no/such/file', 'text/plain', signal, limits)).rejects.toBe(reason);
});
