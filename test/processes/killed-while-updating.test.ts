import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Outcome } from '../fault-injection/scenario.ts';
import { startNode } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

test('every update that was confirmed is kept, and none is half done, when the server is killed or hostile clients come', async () => {
  const folder = await makeTemporaryFolder();
  const json = join(folder, 'result.json');
  const options = ['--only', '^(killed-.*|hostile-sqlite)$', '--rounds', '3', '--json', json];
  const run = startNode(['test/fault-injection/main.ts', ...options], { TEST_PROGRAM: 'src/main.ts' });
  expect([await run.ended, run.stderr()]).toEqual([0, expect.not.stringContaining('rror')]);
  const { scenarios } = JSON.parse(await readFile(json, 'utf8')) as { scenarios: Outcome[] };
  expect(scenarios.map(({ name }) => name)).toEqual(['killed-sqlite', 'killed-postgres', 'hostile-sqlite']);
  const updates = scenarios.flatMap(({ missing, figures }) => (missing === undefined ? [figures?.updates ?? 0] : []));
  expect(Math.min(...updates)).toBeGreaterThanOrEqual(3);
});
