export default {
  testMatch: ['client', 'contract', 'faults', 'identity-provider', 'rate-limits', 'store', 'unit'].map(
    (f) => `<rootDir>/test/${f}/**/*.test.ts`,
  ),
  roots: ['<rootDir>/src', '<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '/tmp/strip.mjs' },
  testTimeout: 60000,
  maxWorkers: 3,
  collectCoverageFrom: ['src/**/*.ts'],
  coverageReporters: ['text-summary'],
  coverageDirectory: '/tmp/istanbul',
};
