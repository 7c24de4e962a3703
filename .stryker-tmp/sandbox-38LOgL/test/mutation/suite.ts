/**
 * All tests of a mutation run in one file: the program's modules are loaded once for each mutant and not once for each
 * test file, and only the test files that have a test to run are loaded.
 */
// @ts-nocheck

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

declare global {
  /** The tests to run, by their names; see environment.js. */
  var testNamePattern: string | undefined;
  /** Loads tests into a group; see environment.js. */
  var inGroup: (name: string, load: () => Promise<unknown>) => Promise<void>;
}

/** Tests that start processes or wait long on purpose. */
const slow = /^process\/|^faults\/(killed|locked|validator-cache)/;

// Unit tests come first, since the first failed test decides.
const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !slow.test(file))
  .sort()
  .reverse();

const wanted = testNamePattern?.replaceAll('\\', '');

for (const file of files)
  if (wanted === undefined || wanted.includes(file)) await inGroup(file, () => import(`../${file}`));
