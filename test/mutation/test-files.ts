import { readdirSync } from 'node:fs';

/** The folders of the suite `main` in jest.config.js. */
const folders = ['client', 'contract', 'faults', 'identity-provider', 'rate-limits', 'store', 'unit'];

const leftOut: readonly RegExp[] = [
  // They wait for seconds, and what they reach is tested by others too.
  /^test\/faults\/(locked|validator-cache)/,
  // They test what does not ship.
  /^test\/unit\/(bench|soak|survival)\//,
  /^test\/unit\/(compose|image-context|workflow)/,
];

/** The test files of a mutation run: those of `npm test`, but for what is left out. */
export function mutationTestFiles(): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(`test/${folder}`, { recursive: true }).map((file) => `test/${folder}/${String(file)}`),
    )
    .filter((file) => file.endsWith('.test.ts') && !leftOut.some((pattern) => pattern.test(file)))
    .sort();
}
