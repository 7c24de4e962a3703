import { readdirSync } from 'node:fs';

/** Tests that start processes or wait long, each with the reason why a mutation run can do without it. */
const leftOut: readonly RegExp[] = [
  /node_modules/,
  /^test\/(process|browser|release)\//,
  /^test\/faults\/(killed|locked|validator-cache|hostile-pdfs|bounded-process|postgres-lost)/,
  /^test\/docs\/adding-/,
  /^test\/client\/(browser|samples)/,
  /^test\/store\/analysis-workers/,
  /^test\/unit\/files\/make-thumbnail/,
  // They test contract/, bench/ and other tools, which mutation leaves alone.
  /^test\/unit\/(contract|bench|soak|survival)\//,
];

/** The test files of a mutation run: what `npm test` runs, but for those that are left out. */
export function mutationTestFiles(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file}`)
    .filter((file) => file.endsWith('.test.ts') && !leftOut.some((pattern) => pattern.test(file)))
    .sort();
}
