/** docs/performance.md tells no figure of a measurement that bench/results does not hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const results = 'bench/results';
const figure = /\d[\d,]*(?:\.\d+)?/g;

/** The figures in a text, without the commas between thousands. */
function figuresOf(text: string): string[] {
  return [...text.matchAll(figure)].map(([number]) => number.replaceAll(',', ''));
}

test('every figure of a table is in the results', () => {
  const reports = readdirSync(results).filter((name) => name.endsWith('.md'));
  const known = new Set(reports.flatMap((name) => figuresOf(readFileSync(join(results, name), 'utf8'))));
  const [measured = ''] = readFileSync('docs/performance.md', 'utf8').split('## Capacity planning');
  const rows = measured.split('\n').filter((line) => /^\|.*\d/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  expect(
    rows.flatMap((row) =>
      figuresOf(row)
        .filter((number) => !known.has(number))
        .map((number) => `${number}: ${row}`),
    ),
  ).toEqual([]);
});
