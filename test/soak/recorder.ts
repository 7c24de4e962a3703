import { loadavg } from 'node:os';
import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import type { ServerState } from './server.ts';
import type { Outcome } from './steady-load.ts';

/** Latencies in milliseconds, and how many requests got a wrong response or none, by fault. */
export interface Figures {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly faults: Record<string, number>;
}

/** What was seen in some seconds. */
export interface Line extends Figures, ServerState {
  readonly seconds: number;
  readonly phase: string;
  readonly rate: number;
  /** Of the process that makes the load: what its latencies may be too long by. */
  readonly ownLagMilliseconds: number;
  readonly loadAverage: number;
}

/** The server's memory at a time. */
export interface MemorySample {
  readonly minutes: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
}

/** What was seen in one phase of the run. */
export interface Phase extends Figures {
  readonly name: string;
  readonly seconds: number;
  readonly memory: readonly MemorySample[];
  readonly mostConnections: number;
}

class Tally {
  readonly #histogram: RecordableHistogram = createHistogram();
  readonly #faults: Record<string, number> = {};

  record({ milliseconds, fault }: Outcome): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * 1000)));
    if (fault !== undefined) this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  figures(): Figures {
    const { count } = this.#histogram;
    const percentile = (percent: number) => (count === 0 ? NaN : this.#histogram.percentile(percent) / 1000);
    return {
      requests: count,
      p50: percentile(50),
      p99: percentile(99),
      max: percentile(100),
      faults: { ...this.#faults },
    };
  }
}

/** Takes down all that is seen, by line and by phase. */
export class Recorder {
  readonly lines: Line[] = [];
  readonly #started = performance.now();
  readonly #ownLag = monitorEventLoopDelay({ resolution: 10 });
  readonly #phases: {
    name: string;
    started: number;
    ended: number;
    tally: Tally;
    states: (ServerState & { minutes: number })[];
  }[] = [];
  #line = new Tally();
  #lineStarted = 0;
  #lag = 0;

  constructor() {
    this.#ownLag.enable();
  }

  /** The time since the start. */
  get #seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  begin(name: string): void {
    this.end();
    this.#phases.push({ name, started: this.#seconds, ended: NaN, tally: new Tally(), states: [] });
  }

  /** Ends the phase. A request counts for the phase in which it is over. */
  end(): void {
    const phase = this.#phases.at(-1);
    if (phase) phase.ended = this.#seconds;
  }

  outcome(outcome: Outcome): void {
    this.#line.record(outcome);
    this.#phases.at(-1)?.tally.record(outcome);
  }

  state(state: ServerState): void {
    this.#lag = Math.max(this.#lag, state.lagMilliseconds);
    this.#phases.at(-1)?.states.push({ ...state, minutes: this.#seconds / 60 });
  }

  /** Ends a line; undefined if there is nothing to tell. */
  line(): Line | undefined {
    const phase = this.#phases.at(-1);
    const state = phase?.states.at(-1);
    if (!phase || !state) return undefined;
    const figures = this.#line.figures();
    const line = {
      seconds: this.#seconds,
      phase: phase.name,
      rate: figures.requests / (this.#seconds - this.#lineStarted),
      ...figures,
      ...state,
      lagMilliseconds: this.#lag,
      ownLagMilliseconds: this.#ownLag.max / 1e6,
      loadAverage: loadavg()[0] ?? NaN,
    };
    this.lines.push(line);
    this.#ownLag.reset();
    this.#lag = 0;
    this.#line = new Tally();
    this.#lineStarted = this.#seconds;
    return line;
  }

  phases(): Phase[] {
    return this.#phases.map(({ name, started, ended, tally, states }) => ({
      name,
      seconds: ended - started,
      ...tally.figures(),
      memory: states.map(({ minutes, rssMiB, heapMiB }) => ({ minutes, rssMiB, heapMiB })),
      mostConnections: Math.max(0, ...states.map(({ connections }) => connections)),
    }));
  }
}
