import type { MemorySample, Phase } from './recorder.ts';

/** One promise, and whether it was met; undefined if the run was too short to tell. */
export interface Finding {
  readonly promise: string;
  readonly met: boolean | undefined;
  readonly seen: string;
}

/** At 200 requests a second, some 260 bytes of each request. */
const mostGrowthMiBPerMinute = 3;
const shortestTrendSeconds = 120;
const shortestPhaseSeconds = 30;
const mostHostileP99 = 1000;

/** How fast memory grows, by linear regression, in MiB a minute. */
export function growthPerMinute(samples: readonly MemorySample[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [time, memory] = [mean(samples.map(({ minutes }) => minutes)), mean(samples.map(({ rssMiB }) => rssMiB))];
  const shared = samples.map(({ minutes, rssMiB }) => (minutes - time) * (rssMiB - memory));
  return mean(shared) / mean(samples.map(({ minutes }) => (minutes - time) ** 2));
}

/** Judges a run by its phases: `before`, `hostile` and `after`. */
export function judge(phases: readonly Phase[], complaints: readonly string[], ended: number | string): Finding[] {
  const [before, hostile, after] = ['before', 'hostile', 'after'].map((wanted) =>
    phases.find(({ name, seconds }) => name === wanted && seconds >= shortestPhaseSeconds),
  );
  const faults = phases.flatMap((phase) =>
    Object.entries(phase.faults).map(([fault, times]) => `${times} × ${fault} (${phase.name})`),
  );
  const requests = phases.reduce((sum, phase) => sum + phase.requests, 0);
  const mostP99After = before && 2 * before.p99 + 25;
  const growth = after && after.seconds >= shortestTrendSeconds ? growthPerMinute(after.memory) : undefined;
  return [
    {
      promise: 'every steady request has its correct response',
      met: requests > 0 && faults.length === 0,
      seen: [`${requests} requests`, ...(faults.length === 0 ? ['no error'] : faults)].join(', '),
    },
    {
      promise: 'the server logs no error, and ends with 0',
      met: complaints.length === 0 && ended === 0,
      seen: [`ended with ${ended}`, `${complaints.length} lines`, ...complaints.slice(0, 5)].join('; '),
    },
    {
      promise: `p99 with hostile clients is below ${mostHostileP99} ms`,
      met: hostile && hostile.p99 < mostHostileP99,
      seen: hostile ? `${rounded(hostile.p99)} ms, with up to ${hostile.mostConnections} connections` : tooShort,
    },
    {
      promise: 'p99 after them is at most twice the one before, and 25 ms',
      met: after && mostP99After !== undefined ? after.p99 <= mostP99After : undefined,
      seen: before && after ? `${rounded(before.p99)} ms before, ${rounded(after.p99)} ms after` : tooShort,
    },
    {
      promise: `memory grows by less than ${mostGrowthMiBPerMinute} MiB a minute`,
      met: growth === undefined ? undefined : growth < mostGrowthMiBPerMinute,
      seen: growth === undefined ? tooShort : `${rounded(growth, 2)} MiB a minute over ${after?.memory.length} samples`,
    },
  ];
}

const tooShort = 'not judged: the run was too short';

function rounded(value: number, digits = 1): string {
  return value.toFixed(digits);
}
