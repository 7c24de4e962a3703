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
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly faults: Record<string, number>;
  readonly memory: readonly MemorySample[];
  readonly mostConnections: number;
}

/** Takes down all that is seen in one phase. A request counts for the phase in which it is over. */
export class PhaseRecorder {
  readonly #name: string;
  readonly #started = performance.now();
  readonly #histogram = createHistogram();
  readonly #faults: Record<string, number> = {};
  readonly #memory: MemorySample[] = [];
  #mostConnections = 0;

  constructor(name: string) {
    this.#name = name;
  }

  outcome({ milliseconds, fault }: Outcome): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * 1000)));
    if (fault !== undefined) this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  state({ connections, rssMiB, heapMiB }: ServerState): void {
    this.#memory.push({ minutes: performance.now() / 60_000, rssMiB, heapMiB });
    this.#mostConnections = Math.max(this.#mostConnections, connections);
  }

  phase(): Phase {
    const { count } = this.#histogram;
    const percentile = (percent: number) => (count === 0 ? NaN : this.#histogram.percentile(percent) / 1000);
    return {
      name: this.#name,
      seconds: (performance.now() - this.#started) / 1000,
      requests: count,
      p50: percentile(50),
      p99: percentile(99),
      max: percentile(100),
      faults: this.#faults,
      memory: this.#memory,
      mostConnections: this.#mostConnections,
    };
  }
}
