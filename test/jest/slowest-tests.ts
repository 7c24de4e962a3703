import { relative } from 'node:path';
import type { AggregatedResult } from '@jest/test-result';

type Timed = readonly [name: string, milliseconds: number];

const shown = 10;

/** Jest's reporter of the files and the tests that took longest, and of the number of assertions that held. */
export default class SlowestTests {
  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const tests = testResults.flatMap((file) => file.testResults);
    const files = testResults.map(({ perfStats, testFilePath }): Timed => [
      relative('', testFilePath),
      perfStats.runtime,
    ]);
    const timed = tests.map(({ fullName, duration }): Timed => [fullName, duration ?? 0]);
    const held = tests.reduce((sum, { numPassingAsserts }) => sum + numPassingAsserts, 0);
    process.stderr.write(`\n${slowest('test files', files)}\n${slowest('tests', timed)}\nAssertions: ${held}\n`);
  }
}

function slowest(what: string, timed: readonly Timed[]): string {
  const first = timed.toSorted(([, one], [, other]) => other - one).slice(0, shown);
  const lines = first.map(([name, milliseconds]) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}\n`);
  return `Slowest ${what}:\n${lines.join('')}`;
}
