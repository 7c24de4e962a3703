import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedAnalysis, TakenAnalysis } from '../store/analysis-store.ts';
import { analyse, type AnalysisParts, type AnalysisReport, takeNext } from './analyse-next.ts';
import { EvidenceUpkeep } from './evidence-upkeep.ts';

const pollMilliseconds = 1_000;

/** How long the files in hand may take to their end when the worker is stopped; then they are given back. */
const finishMilliseconds = 5_000;

/** Analyses files, several at a time, until it is stopped. What waits for a worker is in the store alone. */
export class AnalysisWorker {
  /** Asks registries again, beside the analyses. */
  readonly evidence: EvidenceUpkeep;
  readonly #parts: AnalysisParts;
  readonly #atATime: number;
  readonly #listeners: ((report: AnalysisReport) => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #givingBack = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #failing = false;
  #lastOrganisation = '';

  /** @param atATime how many files it has in hand at most */
  constructor(parts: AnalysisParts, atATime = 1) {
    this.#parts = parts;
    this.evidence = new EvidenceUpkeep(parts);
    this.#atATime = atATime;
  }

  /** Calls a listener with what became of each file. */
  onReport(listener: (report: AnalysisReport) => void): void {
    this.#listeners.push(listener);
  }

  /** How many files wait for any worker. */
  countWaiting(): Promise<number> {
    const { store, tools } = this.#parts;
    return store.countWaitingAnalyses(tools.now().toISOString());
  }

  /**
   * Analyses until no file waits, and asks again about the files that are due for it, or until it is stopped.
   * @throws what `takeNext`, `analyse` and `recheck` do, once no file is in hand
   */
  drainQueue(): Promise<void> {
    const draining = this.#drainQueue().then(() => this.evidence.drain(...this.#signals));
    this.#running = draining;
    return draining;
  }

  /** Analyses what waits, and what comes; looks once a second while nothing does, or while it fails. */
  watch(): void {
    this.#running = Promise.all([this.#watch(), this.evidence.watch(...this.#signals)]);
  }

  /** Takes no more files, lets those in hand come to their end for five seconds, gives them back after them, and resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const bound = setTimeout(() => {
      this.#givingBack.abort();
    }, finishMilliseconds);
    await this.#running.catch(() => undefined);
    clearTimeout(bound);
  }

  get #signals(): [stopping: AbortSignal, givingBack: AbortSignal] {
    return [this.#stopping.signal, this.#givingBack.signal];
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #drainQueue(): Promise<void> {
    const inHand = new Map<Promise<void>, string>();
    const failures: Error[] = [];
    while (!this.#stopped && failures.length === 0) {
      try {
        const taken = inHand.size < this.#atATime && (await this.#takeNext([...inHand.values()]));
        if (taken) {
          const analysis: Promise<void> = this.#analyse(taken).then(
            () => void inHand.delete(analysis),
            (error: unknown) => {
              failures.push(error as Error);
              inHand.delete(analysis);
            },
          );
          inHand.set(analysis, taken.organisation_id);
        } else if (inHand.size === 0) return;
        else await this.#oneOf(inHand.keys());
      } catch (error) {
        failures.push(error as Error);
      }
    }
    await Promise.all(inHand.keys());
    if (failures[0]) throw failures[0];
  }

  async #takeNext(busy: string[]): ReturnType<typeof takeNext> {
    const taken = await takeNext(this.#parts, { after: this.#lastOrganisation, busy });
    if (taken) this.#lastOrganisation = taken.organisation_id;
    return taken;
  }

  async #analyse(taken: TakenAnalysis | EndedAnalysis): Promise<void> {
    const report = await analyse(taken, this.#parts, this.#givingBack.signal);
    for (const tell of this.#listeners) tell(report);
  }

  /** Waits for an analysis to end, and no longer than until it is time to look for files again. */
  async #oneOf(analyses: Iterable<Promise<void>>): Promise<void> {
    const done = new AbortController();
    const look = sleep(pollMilliseconds, undefined, { signal: done.signal }).catch(() => undefined);
    await Promise.race([...analyses, look]);
    done.abort();
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
