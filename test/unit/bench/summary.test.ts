import { describe, expect, test } from '@jest/globals';
import type { Figures } from '../../../bench/measure.ts';
import type { Cell } from '../../../bench/run.ts';
import { summarise, summaryOf } from '../../../bench/summary.ts';
import { judgeTargets } from '../../../bench/targets.ts';

function figures(requestsPerSecond: number, memoryGrowthMiB = 10): Figures {
  return {
    requestsPerSecond,
    p50Milliseconds: 1,
    p99Milliseconds: 2,
    cpuMicrosecondsPerRequest: 3,
    peakMemoryMiB: 80,
    memoryGrowthMiB,
    loadBusy: 0.5,
  };
}

function cell(server: string, workload: string, rates: number[]): Cell {
  return { server, workload, rounds: rates.map((rate) => figures(rate)) };
}

const readSetting = [
  cell('limit', 'read-setting', [1000, 2000, 4000]),
  cell('fastify', 'read-setting', [500, 1200, 1000]),
  cell('ours', 'read-setting', [600, 1000, 3200]),
];

describe('a summary', () => {
  test('is the median of the rounds, with the lowest and the highest', () => {
    const { figures: seen } = summaryOf(summarise(readSetting), 'ours', 'read-setting') ?? {};
    expect(seen?.requestsPerSecond).toEqual({ median: 1000, min: 600, max: 3200 });
    expect(seen?.loadBusy).toEqual({ median: 0.5, min: 0.5, max: 0.5 });
  });

  test('compares each round with the same round of the baseline, not medians with medians', () => {
    const { ratios } = summaryOf(summarise(readSetting), 'ours', 'read-setting') ?? {};
    expect(ratios?.limit?.requestsPerSecond).toEqual({ median: 0.6, min: 0.5, max: 0.8 });
    expect(ratios?.fastify?.requestsPerSecond.median).toBe(1.2);
  });

  test('has no ratio to a baseline that was not measured under the workload', () => {
    const summaries = summarise([...readSetting, cell('stock', 'mix', [1, 1, 1])]);
    expect(Object.keys(summaryOf(summaries, 'ours', 'read-setting')?.ratios ?? {})).toEqual(['limit', 'fastify']);
  });
});

describe('the targets', () => {
  test('are judged by the median ratio, and only where the run tells something of them', () => {
    const onOurStore = cell('fastify-our-store', 'read-setting', [300, 500, 800]);
    const judged = judgeTargets(summarise([...readSetting, onOurStore]));
    expect(judged).toEqual([
      { target: 'reading the setting: at least 0.75 of limit', seen: '0.60 (0.50 to 0.80)', held: false },
      { target: 'reading the setting: at least 1.3 of fastify-our-store', seen: '2.00 (2.00 to 4.00)', held: true },
    ]);
  });

  test('are missed by the growth of memory in a single round', () => {
    const rounds = [figures(1, 10), figures(1, 64), figures(1, 10)];
    const [growth] = judgeTargets(summarise([{ server: 'ours', workload: 'case-100000', rounds }]));
    expect(growth).toMatchObject({ seen: '10 MiB (10 to 64)', held: false });
  });
});
