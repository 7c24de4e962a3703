import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from '@jest/globals';

declare global {
  /** The tests to run, by their names; see environment.js. */
  var testNamePattern: string | undefined;
  /** Adds what is loaded to the group that was declared last; see environment.js. */
  var inLastGroup: (load: () => Promise<unknown>) => Promise<void>;
}

/** Tests that start processes or wait long on purpose. */
const slow =
  /^(process|browser|release)\/|^faults\/(killed|locked|validator-cache)|^docs\/adding-|^client\/(browser|samples)/;

/** Tests of contract/, which is no part of the program. */
const foreign = /^unit\/contract\//;

/**
 * Loads the test files of a mutation run whose path is chosen and that have a test to run. They share one file of
 * Jest's, so that the program's modules are loaded once for each mutant and not once for each test file.
 */
export async function loadTests(isChosen: (file: string) => boolean): Promise<void> {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
  const wanted = testNamePattern?.replaceAll('\\', '');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !slow.test(file) && !foreign.test(file) && isChosen(file))
    .filter((file) => wanted === undefined || wanted.includes(file))
    .sort()
    .reverse();
  if (files.length === 0) test('nothing to run', () => undefined);
  for (const file of files) {
    describe(file, () => undefined);
    await inLastGroup(() => import(`../${file}`));
  }
}

/** Tests whose modules load fast. They run first: for a mutant that they kill, nothing else is loaded. */
export const isLight = (file: string): boolean => /^(store|unit\/domain|unit\/http)\//.test(file);
