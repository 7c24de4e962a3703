import { globSync } from 'node:fs';
import jestConfig from '../../jest.config.js';

/** Test files that `npm test` runs and a mutation run does not: they start processes or wait, and their code has other tests. */
const leftOut: readonly string[] = [
  // They test contract/, bench/ and other tools, which mutation leaves alone.
];

/** The test files of a mutation run, relative to the folder that it runs in. */
export function mutationTestFiles(): string[] {
  const patterns = jestConfig.projects?.flatMap((project) =>
    typeof project === 'object' && project.displayName === 'main' ? (project.testMatch ?? []) : [],
  );
  const files = (patterns ?? []).flatMap((pattern) => globSync(pattern.replace('<rootDir>/', '')));
  return files.filter((file) => !leftOut.some((start) => file.startsWith(start))).sort();
}
