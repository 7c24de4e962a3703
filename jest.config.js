import { availableParallelism } from 'node:os';
import { suites } from './test/jest/suites.ts';

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
