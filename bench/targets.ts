import { type Baseline, type Summary, summaryOf } from './summary.ts';
import { describeRatio } from './support/statistics.ts';

/**
 * A target of this server, and the measurement. Missing it does not fail the run, because figures depend on the
 * machine.
 */
export interface Target {
  readonly target: string;
  /** The median, with minimum and maximum of the rounds. */
  readonly seen: string;
  readonly held: boolean;
}

interface Wanted {
  readonly workload: string;
  readonly of: string;
  readonly baseline: Baseline;
  readonly times: number;
}

const workloads: readonly (readonly [string, string])[] = [
  ['read-setting', 'reading the setting'],
  ['update-setting', 'updating it'],
  ['bad-body', 'refusing a bad body'],
  ['bad-key', 'refusing a bad key'],
  ['case-10', 'a case of 10 files'],
  ['case-10-any', 'a case of 10 files, of all in turn'],
  ['case-1000', 'a case of 1,000 files'],
  ['mix', 'the mix'],
];

const growthMiB = 64;
/**
 * The fraction of the limit's throughput to reach where the store does most of the work, so that the overhead is small.
 */
const timesOfLimit: Readonly<Record<string, number>> = { 'update-setting': 0.9, 'case-1000': 0.9 };
const withoutLimit = new Set(['case-10-any']);

const wanted: readonly Wanted[] = [
  ...workloads
    .filter(([workload]) => !withoutLimit.has(workload))
    .map(([workload, of]): Wanted => ({ workload, of, baseline: 'limit', times: timesOfLimit[workload] ?? 0.75 })),
  ...workloads.map(([workload, of]): Wanted => ({ workload, of, baseline: 'fastify-our-store', times: 1.3 })),
  ...workloads.map(([workload, of]): Wanted => ({ workload, of, baseline: 'stock', times: 6 })),
];

/** The targets that the run has figures for. */
export function judgeTargets(summaries: readonly Summary[]): Target[] {
  const ratios = wanted.flatMap(({ workload, of, baseline, times }): Target[] => {
    const ratio = summaryOf(summaries, 'ours', workload)?.ratios[baseline]?.requestsPerSecond;
    if (!ratio) return [];
    const seen = describeRatio(ratio);
    return [{ target: `${of}: at least ${times} of ${baseline}`, seen, held: ratio.median >= times }];
  });
  const growth = summaryOf(summaries, 'ours', 'case-100000')?.figures.memoryGrowthMiB;
  if (!growth) return ratios;
  const seen = `${growth.median.toFixed(0)} MiB (${growth.min.toFixed(0)} to ${growth.max.toFixed(0)})`;
  const target = `a case of 100,000 files: memory grows by less than ${growthMiB} MiB`;
  return [...ratios, { target, seen, held: growth.max < growthMiB }];
}
