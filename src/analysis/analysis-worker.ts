import { setTimeout as sleep } from 'node:timers/promises';
import { type AnalysisParts, type AnalysisReport, analyseNext } from './analyse-next.ts';

const pollMilliseconds = 1_000;

/** How long the file in hand may take to its end when the worker is stopped; then it is given back. */
const finishMilliseconds = 5_000;

/** Analyses one file after the other, until it is stopped. What waits for a worker is in the store alone. */
export class AnalysisWorker {
  readonly #parts: AnalysisParts;
  readonly #listeners: ((report: AnalysisReport) => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #givingBack = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(parts: AnalysisParts) {
    this.#parts = parts;
  }

  /** Has a listener told what became of each file. */
  onReport(listener: (report: AnalysisReport) => void): void {
    this.#listeners.push(listener);
  }

  /** How many files wait for any worker. */
  countWaiting(): Promise<number> {
    const { store, tools } = this.#parts;
    return store.countWaitingAnalyses(tools.now().toISOString());
  }

  /**
   * Analyses until no file waits, or until it is stopped.
   * @throws what `analyseNext` does
   */
  drainQueue(): Promise<void> {
    return (this.#running = this.#drainQueue());
  }

  /** Analyses what waits, and what comes; looks once a second while nothing does, or while it fails. */
  watch(): void {
    this.#running = this.#watch();
  }

  /** Takes no more files, lets the one in hand come to its end for five seconds, gives it back after them, and resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const bound = setTimeout(() => {
      this.#givingBack.abort();
    }, finishMilliseconds);
    await this.#running.catch(() => undefined);
    clearTimeout(bound);
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #drainQueue(): Promise<void> {
    while (!this.#stopped) {
      const report = await analyseNext(this.#parts, this.#givingBack.signal);
      if (!report) return;
      for (const tell of this.#listeners) tell(report);
    }
  }

  async #watch(): Promise<void> {
    const { logger } = this.#parts;
    while (!this.#stopped) {
      try {
        await this.#drainQueue();
        if (this.#failing) logger.info('analyses go on');
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) logger.error({ err: error }, 'analyses have stopped; they are tried again every second');
        this.#failing = true;
      }
      await sleep(pollMilliseconds, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }
}
