import { expect, test } from '@jest/globals';
import { type Figures, ratioOf } from '../../../bench/harness.ts';
import { quantile } from '../../../bench/machine.ts';
import { describeFigures } from '../../../bench/report.ts';

const workload = 'read-setting';
const figures = Object.entries({ limit: [1000, 2000, 4000], ours: [600, 1000, 3200] }).map(
  ([name, requestsPerSecond]): Figures => {
    return { name, workload, requestsPerSecond, processorMicroseconds: 3, loadBusy: 0.5 };
  },
);

test('a quantile lies between its neighbours in the sample, in any order', () => {
  expect([0, 0.25, 0.5, 1].map((share) => quantile([4, 1, 3], share))).toEqual([1, 2, 3, 4]);
  expect(() => quantile([], 0.5)).toThrow('A sample without values has no quantiles.');
});

test('a ratio compares each slice with the same slice of the other server, not medians with medians', () => {
  expect(ratioOf(figures, workload, 'ours', 'limit')).toEqual([0.55, 0.6, 0.7]);
  expect(ratioOf(figures, workload, 'ours', 'stock')).toBeUndefined();
  expect(ratioOf(figures, 'mix', 'ours', 'limit')).toBeUndefined();
});

test.each([
  [0.55, '0.60 (0.55 to 0.70), of 0.55'],
  [0.6, '**0.60 (0.55 to 0.70), of 0.6**'],
])('a target of %d is met only if the lower quartile meets it', (atLeast, text) => {
  const titles = new Map([['ours', 'this server']]);
  const report = describeFigures(figures, titles, [{ workload, name: 'ours', of: 'limit', atLeast }]);
  expect(report).toContain(`| Read the setting | ${text} |`);
});
