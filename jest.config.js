/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\.ts$': '<rootDir>/test/support/strip-types.js' },
  collectCoverageFrom: ['src/**/*.ts'],
  // Many tests wait for other processes, so each core has one.
  maxWorkers: '100%',
  // Generous: what a loaded machine does slowly is no failure.
  testTimeout: 30_000,
  coverageReporters: ['text', 'html'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
};
