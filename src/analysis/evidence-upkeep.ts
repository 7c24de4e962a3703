import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CachedResultKey } from '../store/analysis-store.ts';
import type { AnalysisParts, AnalysisReport } from './analyse-next.ts';
import { recheck, type RecheckReport, takeRecheck } from './recheck.ts';

const pollMilliseconds = 5_000;
const pruneEveryMilliseconds = 60_000;
/** How many cached results one pruning step reads. */
const prunedAtOnce = 500;

/** What a worker reports of each file. */
export type WorkerReports = EventEmitter<{ analysed: [AnalysisReport]; asked: [RecheckReport] }>;

/** Asks registries again about one file at a time, and prunes cached results, in parallel with the analyses. */
export class EvidenceUpkeep {
  readonly #parts: AnalysisParts;
  readonly #reports: WorkerReports;
  #lastOrganisation = '';
  #prunedUntil: CachedResultKey | undefined;
  #pruneAt = 0;

  constructor(parts: AnalysisParts, reports: WorkerReports) {
    this.#parts = parts;
    this.#reports = reports;
  }

  /** The number of files about which registries will be asked again, by any worker. */
  countWaiting(): Promise<number> {
    return this.#parts.store.countRechecks();
  }

  /**
   * Asks about all files that are due. `stopping` takes no more files, and `givingBack` gives back the one in progress.
   */
  async drain(stopping: AbortSignal, givingBack: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const taken = await takeRecheck(this.#parts, this.#lastOrganisation);
      if (!taken) return;
      this.#lastOrganisation = taken.organisation_id;
      this.#reports.emit('asked', await recheck(taken, this.#parts, givingBack));
    }
  }

  /** Asks about files as they become due, and prunes the cache, until it is stopped. Logs failures and tries again. */
  watch(stopping: AbortSignal, givingBack: AbortSignal): Promise<void> {
    const messages = {
      failed: 'evidence is not kept up to date; retrying',
      resumed: 'evidence is kept up to date again',
    };
    const work = async () => {
      await this.drain(stopping, givingBack);
      await this.#pruneIfDue();
    };
    return repeat(work, pollMilliseconds, { stopping, logger: this.#parts.logger, messages });
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

/** What repeated work needs: the log messages are for its first failure in a row, and for the end of its failures. */
interface Repetition {
  readonly stopping: AbortSignal;
  readonly logger: Logger;
  readonly messages: { readonly failed: string; readonly resumed: string };
}

/** Repeats work, with a pause after each time, until it is stopped. A failure is logged, and the work tried again. */
export async function repeat(
  work: () => Promise<void>,
  pauseMilliseconds: number,
  { stopping, logger, messages }: Repetition,
): Promise<void> {
  let isFailing = false;
  while (!stopping.aborted) {
    try {
      await work();
      if (isFailing) logger.info(messages.resumed);
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, messages.failed);
      isFailing = true;
    }
    await sleep(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
  }
}
