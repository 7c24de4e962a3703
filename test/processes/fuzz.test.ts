import { expect, test } from '@jest/globals';
import { describeCorpusOf } from '../fuzz/replay.ts';
import { startNode } from '../support/process.ts';

const fuzz = async (...args: string[]) => {
  const { ended, stdout, stderr } = startNode(['--no-warnings', 'test/fuzz/main.ts', ...args]);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
};

test('a short run gives inputs to one target, and tells how many', async () => {
  const { code, stdout, stderr } = await fuzz('--minutes', '0.05', '--target', 'case-imports', '--seed', '7');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /1 targets, 3 s each, seed 7\ncase-imports: [1-9]\d* inputs, [1-9]\d* kept, [1-9]\d* functions/,
  );
});

test('help names the targets, and an unknown one is refused', async () => {
  const { code, stdout } = await fuzz('--help');
  expect([code, stdout]).toEqual([0, expect.stringContaining('"request-heads"')]);
  expect(await fuzz('--target', 'nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining("'nothing'") });
});

for (const target of ['pdfs', 'thumbnails']) describeCorpusOf(target);
