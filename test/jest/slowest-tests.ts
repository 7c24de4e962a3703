import type { AggregatedResult } from '@jest/test-result';

interface Timed {
  readonly name: string;
  readonly milliseconds: number;
}

const shown = 10;

/** Jest's reporter of the files and the tests that took longest, and of the number of assertions that held. */
export default class SlowestTests {
  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const files = testResults.map(({ perfStats, testFilePath }) => ({
      name: testFilePath.replace(`${process.cwd()}/`, ''),
      milliseconds: perfStats.runtime,
    }));
    const tests = testResults.flatMap((file) =>
      file.testResults.map(({ fullName, duration }) => ({ name: fullName, milliseconds: duration ?? 0 })),
    );
    const assertions = testResults.flatMap((file) =>
      file.testResults.map(({ numPassingAsserts }) => numPassingAsserts),
    );
    const held = assertions.reduce((sum, count) => sum + count, 0);
    process.stderr.write(`\n${slowest('test files', files)}\n${slowest('tests', tests)}\nAssertions: ${held}\n`);
  }
}

function slowest(what: string, timed: readonly Timed[]): string {
  const first = timed.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, shown);
  const lines = first.map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}\n`);
  return `Slowest ${what}:\n${lines.join('')}`;
}
