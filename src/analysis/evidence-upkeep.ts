import { setTimeout as sleep } from 'node:timers/promises';
import type { CachedResultKey } from '../store/analysis-store.ts';
import type { AnalysisParts } from './analyse-next.ts';
import { recheck, type RecheckReport, takeRecheck } from './recheck.ts';

const pollMilliseconds = 5_000;
const pruneEveryMilliseconds = 60_000;
/** How many cached results one pruning step reads. */
const prunedAtOnce = 500;

/**
 * Keeps evidence up to date in parallel with the analyses: asks registries again about one file at a time,
 * organisations taking turns, and deletes cached results whose evidence no longer counts.
 */
export class EvidenceUpkeep {
  readonly #parts: AnalysisParts;
  readonly #listeners: ((report: RecheckReport) => void)[] = [];
  #failing = false;
  #lastOrganisation = '';
  #prunedUntil: CachedResultKey | undefined;
  #pruneAt = 0;

  constructor(parts: AnalysisParts) {
    this.#parts = parts;
  }

  /** Registers a listener for the outcome of each file. */
  onReport(listener: (report: RecheckReport) => void): void {
    this.#listeners.push(listener);
  }

  /** The number of files about which registries will be asked again, by any worker. */
  countWaiting(): Promise<number> {
    return this.#parts.store.countRechecks();
  }

  /**
   * Asks about all files that are due.
   * @param stopping stops taking files
   * @param givingBack gives back the file in progress
   */
  async drain(stopping: AbortSignal, givingBack: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const taken = await takeRecheck(this.#parts, this.#lastOrganisation);
      if (!taken) return;
      this.#lastOrganisation = taken.organisation_id;
      const report = await recheck(taken, this.#parts, givingBack);
      for (const tell of this.#listeners) tell(report);
    }
  }

  /** Asks about files as they become due, and prunes the cache, until it is stopped. Logs failures and tries again. */
  async watch(stopping: AbortSignal, givingBack: AbortSignal): Promise<void> {
    const { logger } = this.#parts;
    while (!stopping.aborted) {
      try {
        await this.drain(stopping, givingBack);
        await this.#pruneIfDue();
        if (this.#failing) logger.info('evidence is kept up to date again');
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) logger.error({ err: error }, 'evidence is not kept up to date; retrying');
        this.#failing = true;
      }
      await sleep(pollMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
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
