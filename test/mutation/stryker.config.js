/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules'],
  plugins: ['@stryker-mutator/jest-runner', './test/mutation/ignore-help-texts.js'],
  jest: {
    configFile: 'jest.config.js',
    config: {
      testEnvironment: './test/mutation/environment.js',
      testMatch: ['<rootDir>/test/mutation/*.suite.ts'],
      testSequencer: './test/mutation/sequencer.js',
      coverageThreshold: undefined,
    },
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // src/main.ts is the entry of the process, which only the tests that start processes run.
  mutate: ['src/**/*.ts', '!src/main.ts'],
  ignorers: ['help-texts'],
  concurrency: 4,
  maxTestRunnerReuse: 60,
  timeoutMS: 10_000,
  timeoutFactor: 3,
  tempDirName: 'reports/.stryker-tmp',
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'reports/mutation/mutation.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  thresholds: { high: 95, low: 85, break: 85 },
};
