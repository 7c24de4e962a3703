/**
 * Runs test files in plain Node.js processes, where Jest would make a realm for each file and load every module anew in
 * it: that took most of the time. What runs a file is Jest's own engine, jest-circus; see run-test-file.ts.
 */
import { fileURLToPath } from 'node:url';
import { createJestRunner } from 'create-jest-runner';

type RunTests = InstanceType<typeof Runner>['runTests'];

const Runner = createJestRunner(fileURLToPath(new URL('run-test-file.ts', import.meta.url)));

export default class ProcessRunner extends Runner {
  /** Never in Jest's own process, not even a single file: in watch mode its modules would stay as they were. */
  override runTests(...[tests, watcher, onStart, onResult, onFailure, options]: Parameters<RunTests>) {
    return super.runTests(tests, watcher, onStart, onResult, onFailure, { ...options, serial: false });
  }
}
