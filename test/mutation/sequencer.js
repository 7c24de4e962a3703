import Sequencer from '@jest/test-sequencer';

/** Runs the suites in the order of their names. */
export default class BySuiteName extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    return tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }
}
