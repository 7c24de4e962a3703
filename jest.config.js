import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { suites } from './test/jest/suites.ts';

const shared = {
  roots: ['client', 'contract', 'scripts', 'src', 'test'].map((folder) => `<rootDir>/${folder}`),
  transform: {},
  runner: '<rootDir>/test/jest/runner.ts',
};

/** @type {import('jest').Config} */
export default {
  projects: Object.entries(suites).map(([displayName, folders]) => ({
    ...shared,
    displayName,
    // Generous: what a loaded machine does slowly is no failure, and what starts processes is slow there. No test has less.
    testTimeout: displayName === 'main' ? 120_000 : 600_000,
    ...(displayName === 'package' && { globalSetup: '<rootDir>/test/package/pack.ts' }),
    testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  })),
  // Many tests wait, for a time or for the disk, so there is work for more than one a core.
  maxWorkers: 2 * availableParallelism(),
  reporters: ['default', '<rootDir>/test/jest/slowest-tests.ts'],
  coverageProvider: 'v8',
  collectCoverageFrom: globSync(
    ['src/**/*.ts', 'client/**/*.ts', 'contract/{cli,document,mock,oracle,proxy}/**/*.ts'],
    // The command that checks a server has its tests in the contract suite.
    {
      cwd: import.meta.dirname,
      exclude: ['**/node_modules/**', '**/dist/**', 'contract/cli/{check,configuration,validated-file}.ts'],
    },
  ).filter(hasCode),
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: { global: { lines: 98, branches: 96 } },
};

/**
 * Whether a file holds more than types, which nothing loads.
 * @param {string} file
 */
function hasCode(file) {
  return /^(export )?(async function|function|class|const|let) /m.test(
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8'),
  );
}
