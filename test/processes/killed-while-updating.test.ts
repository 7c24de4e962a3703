import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startScript, withDataDir } from '../support/process.ts';

test('every update that was confirmed is kept, and none is half done, when the server is killed', async () => {
  await withDataDir(async (folder) => {
    const options = ['--only', '^killed-(sqlite|postgres)$', '--rounds', '3', '--json', join(folder, 'result.json')];
    const run = startScript('test/fault-injection/main.ts', options, { TEST_PROGRAM: 'src/main.ts' });
    expect([await run.ended, run.stdout(), run.stderr()]).toEqual([
      0,
      expect.stringMatching(/survived killed-sqlite [^]*(survived|not run) +killed-postgres/),
      expect.not.stringContaining('rror'),
    ]);
  });
});
