import { globSync } from 'node:fs';
import { suites } from '../jest/suites.ts';

/** Test files that `npm test` runs and a mutation run does not, with the reason. */
const leftOut: readonly RegExp[] = [
  // They wait for seconds, and other tests cover the same code.
  /^test\/resilience\/(locked|validator-cache|postgres-lost)/,
  // It type-checks the client, and mutated sources are not typed.
  /^test\/client\/other-document\/types/,
  // They test code that is not part of the package.
  /^test\/unit\/(bench|fault-injection|soak)\//,
  /^test\/unit\/(compose|image-context|workflow)/,
];

/** The test files of a mutation run, relative to the folder that it runs in. */
export function mutationTestFiles(): string[] {
  return suites.main
    .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`))
    .filter((file) => !leftOut.some((pattern) => pattern.test(file)))
    .sort();
}
