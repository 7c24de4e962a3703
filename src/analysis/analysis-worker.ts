import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CachedResultKey } from '../store/parts/cached-results.ts';
import { analyse, type AnalysisParts, type AnalysisReport, takeNext } from './analyse-next.ts';
import { recheck, type RecheckReport, takeRecheck } from './recheck.ts';

const pollMilliseconds = 1_000;
const pollRechecksMilliseconds = 5_000;
const pruneEveryMilliseconds = 60_000;
const prunedAtOnce = 500;

/** How long the files in progress may take to finish once the worker is stopped; then they are given back. */
const finishMilliseconds = 5_000;

/**
 * Analyses files, several at a time, until it is stopped. In parallel, it asks registries again about one file at a time, and
 * prunes cached results. The queues exist only in the store.
 */
export class AnalysisWorker {
  /** Of each file that was analysed, or about which registries were asked again. */
  readonly reports = new EventEmitter<{ analysed: [AnalysisReport]; asked: [RecheckReport] }>();
  readonly #parts: AnalysisParts;
  readonly #atATime: number;
  readonly #stopping = new AbortController();
  readonly #givingBack = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #lastOrganisation = '';
  #lastAsked = '';
  #prunedUntil: CachedResultKey | undefined;
  #pruneAt = 0;

  constructor(parts: AnalysisParts, atATime = 1) {
    this.#parts = parts;
    this.#atATime = atATime;
  }

  countWaiting(): Promise<number> {
    const { store, tools } = this.#parts;
    return store.countWaitingAnalyses(tools.now().toISOString());
  }

  countRechecks(): Promise<number> {
    return this.#parts.store.countRechecks();
  }

  /** Analyses all waiting files, then asks registries again. @throws what the work throws, once no file is in flight */
  drainQueue(): Promise<void> {
    const draining = this.#drainQueue().then(() => this.#drainRechecks());
    this.#running = draining;
    return draining;
  }

  /** Analyses files as they arrive, and asks again about files as they become due. Polls while there is none. */
  watch(): void {
    const keepEvidence = async () => {
      await this.#drainRechecks();
      await this.#pruneIfDue();
    };
    this.#running = Promise.all([
      this.#repeat('analyses', () => this.#drainQueue(), pollMilliseconds),
      this.#repeat('updates of evidence', keepEvidence, pollRechecksMilliseconds),
    ]);
  }

  /** Takes no more files, gives those in progress five seconds to finish, then gives back the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const bound = setTimeout(() => {
      this.#givingBack.abort();
    }, finishMilliseconds);
    await this.#running.catch(() => undefined);
    clearTimeout(bound);
  }

  /** Repeats work until the worker is stopped. Logs the first failure in a row, and the end of the failures. */
  async #repeat(name: string, work: () => Promise<void>, pauseMilliseconds: number): Promise<void> {
    const { logger } = this.#parts;
    const { signal } = this.#stopping;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await work();
        if (isFailing) logger.info(`${name} continue`);
        isFailing = false;
      } catch (error) {
        if (!isFailing) logger.error({ err: error }, `${name} have stopped; retrying`);
        isFailing = true;
      }
      await sleep(pauseMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  async #drainQueue(): Promise<void> {
    const inFlight = new Map<Promise<void>, string>();
    const failures: Error[] = [];
    while (!this.#stopping.signal.aborted && failures.length === 0) {
      try {
        const turn = { after: this.#lastOrganisation, busy: [...inFlight.values()] };
        const taken = inFlight.size < this.#atATime && (await takeNext(this.#parts, turn));
        if (taken) {
          this.#lastOrganisation = taken.organisation_id;
          const analysis: Promise<void> = analyse(taken, this.#parts, this.#givingBack.signal)
            .then((report) => void this.reports.emit('analysed', report))
            .catch((error: unknown) => void failures.push(error as Error))
            .finally(() => inFlight.delete(analysis));
          inFlight.set(analysis, taken.organisation_id);
        } else if (inFlight.size === 0) return;
        else await Promise.race([...inFlight.keys(), sleep(pollMilliseconds, undefined, { ref: false })]);
      } catch (error) {
        failures.push(error as Error);
      }
    }
    await Promise.all(inFlight.keys());
    if (failures[0]) throw failures[0];
  }

  async #drainRechecks(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const taken = await takeRecheck(this.#parts, this.#lastAsked);
      if (!taken) return;
      this.#lastAsked = taken.organisation_id;
      this.reports.emit('asked', await recheck(taken, this.#parts, this.#givingBack.signal));
    }
  }

  async #pruneIfDue(): Promise<void> {
    if (performance.now() < this.#pruneAt) return;
    const { store, tools } = this.#parts;
    const now = tools.now();
    const { next } = await store.pruneCachedResults({
      at: now.toISOString(),
      askedSince: new Date(now.getTime() - tools.resultMaxAgeMilliseconds).toISOString(),
      after: this.#prunedUntil,
      limit: prunedAtOnce,
    });
    this.#prunedUntil = next;
    this.#pruneAt = performance.now() + pruneEveryMilliseconds;
  }
}
