import { type Baseline, type Summary, summaryOf } from './summary.ts';
import { describeRatio } from './support/statistics.ts';

/** What this server is meant to reach, and what was seen. It judges nobody: figures depend on the machine. */
export interface Target {
  readonly target: string;
  /** The median, with the lowest and the highest of the rounds. */
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
];

const fastifyTimes: Readonly<Record<string, number>> = { 'case-1000': 5 };
const growthMiB = 64;

const wanted: readonly Wanted[] = [
  { workload: 'read-setting', of: 'reading the setting', baseline: 'bare', times: 0.6 },
  ...workloads.map(([workload, of]): Wanted => {
    return { workload, of, baseline: 'fastify', times: fastifyTimes[workload] ?? 1 };
  }),
  ...workloads.map(([workload, of]): Wanted => ({ workload, of, baseline: 'stock', times: 6 })),
];

/** The targets that the run tells something of. */
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
