import { expect, test } from '@jest/globals';
import { testCorpusOf } from '../fuzz/replay.ts';
import { startNode } from '../support/process.ts';

test('a short run gives inputs to one target, and tells how many', async () => {
  const options = ['--minutes', '0.05', '--target', 'case-imports', '--seed', '7'];
  const { ended, stdout, stderr } = startNode(['--no-warnings', 'test/fuzz/main.ts', ...options]);
  expect([await ended, stderr()]).toEqual([0, '']);
  expect(stdout()).toMatch(
    /1 targets, 3 s each, seed 7\ncase-imports: [1-9]\d* inputs, [1-9]\d* kept, [1-9]\d* functions/,
  );
});

for (const target of ['pdfs', 'thumbnails']) testCorpusOf(target);
