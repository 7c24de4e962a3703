import { availableParallelism } from 'node:os';

/**
 * The suites of tests. `npm test` runs the first: whatever needs one process and is quick. Those that start processes, wait,
 * or need tools of their own have commands of their own in package.json.
 */
const suites = {
  main: ['client', 'contract', 'faults', 'identity-provider', 'rate-limits', 'store', 'unit'],
  processes: ['processes'],
  'contract-suite': ['contract-suite'],
  docs: ['browser', 'docs', 'release'],
  services: ['services'],
  package: ['package'],
  image: ['image'],
};

const shared = {
  roots: ['contract', 'scripts', 'src', 'test'].map((folder) => `<rootDir>/${folder}`),
  transform: {},
  runner: '<rootDir>/test/jest/runner.ts',
};

/** @type {import('jest').Config} */
export default {
  projects: Object.entries(suites).map(([displayName, folders]) => ({
    ...shared,
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  })),
  // Many tests wait, for a time or for the disk, so there is work for more than one a core.
  maxWorkers: availableParallelism() + 1,
  // Generous: what a loaded machine does slowly is no failure.
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/jest/slowest-tests.ts'],
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
};
