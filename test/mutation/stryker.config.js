/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'shared-process',
  plugins: ['./test/mutation/stryker/runner.ts', './test/mutation/stryker/ignore-help-texts.ts'],
  coverageAnalysis: 'perTest',
  // src/main.ts is the entry of the process, which only the tests that start processes run.
  mutate: [
    ...['src/**/*.ts', '!src/main.ts'],
    ...['client/**/*.ts', 'contract/{document,mock,oracle,proxy}/**/*.ts'],
    '!**/{dist,generated,node_modules}/**',
  ],
  ignorers: ['help-texts'],
  concurrency: 3,
  maxTestRunnerReuse: 150,
  dryRunTimeoutMinutes: 30,
  timeoutMS: 6_000,
  timeoutFactor: 2,
  disableTypeChecks: false,
  tempDirName: 'reports/.stryker-tmp',
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'reports/mutation/mutation.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  thresholds: { high: 95, low: 85, break: 85 },
};
