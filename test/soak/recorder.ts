import { createHistogram } from 'node:perf_hooks';
import type { ServerState } from './server.ts';
import type { Outcome } from './steady-load.ts';

/** The server's memory at a time. */
export interface MemorySample {
  readonly minutes: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
}

/** What was seen in one phase of the run: latencies in milliseconds, and the wrong or missing responses, by fault. */
export type Phase = ReturnType<ReturnType<typeof recordPhase>['phase']>;

/** Takes down all that is seen in one phase. A request counts for the phase in which it is over. */
export function recordPhase(name: string) {
  const started = performance.now();
  const histogram = createHistogram();
  const faults: Record<string, number> = {};
  const memory: MemorySample[] = [];
  let mostConnections = 0;
  const percentile = (percent: number) => (histogram.count === 0 ? NaN : histogram.percentile(percent) / 1000);
  return {
    outcome: ({ milliseconds, fault }: Outcome) => {
      histogram.record(Math.max(1, Math.round(milliseconds * 1000)));
      if (fault !== undefined) faults[fault] = (faults[fault] ?? 0) + 1;
    },
    state: ({ connections, rssMiB, heapMiB }: ServerState) => {
      memory.push({ minutes: performance.now() / 60_000, rssMiB, heapMiB });
      mostConnections = Math.max(mostConnections, connections);
    },
    phase: () => ({
      name,
      seconds: (performance.now() - started) / 1000,
      requests: histogram.count,
      ...{ p50: percentile(50), p99: percentile(99), max: percentile(100) },
      ...{ faults, memory, mostConnections },
    }),
  };
}
