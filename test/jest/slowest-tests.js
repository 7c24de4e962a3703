const shown = 10;

/** Jest's reporter of the files and the tests that took longest. */
export default class SlowestTests {
  /**
   * @param {unknown} _contexts
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  onRunComplete(_contexts, { testResults }) {
    const files = testResults.map(({ perfStats, testFilePath }) => ({
      name: testFilePath.replace(`${process.cwd()}/`, ''),
      milliseconds: perfStats.runtime,
    }));
    const tests = testResults.flatMap((file) =>
      file.testResults.map(({ fullName, duration }) => ({ name: fullName, milliseconds: duration ?? 0 })),
    );
    process.stderr.write(`\n${slowest('test files', files)}\n${slowest('tests', tests)}`);
  }
}

/**
 * @param {string} what
 * @param {{ name: string, milliseconds: number }[]} timed
 */
function slowest(what, timed) {
  const first = timed.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, shown);
  const lines = first.map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}\n`);
  return `Slowest ${what}:\n${lines.join('')}`;
}
