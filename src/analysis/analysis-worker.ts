import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { analyse, type AnalysisParts, takeNext } from './analyse-next.ts';
import { EvidenceUpkeep, repeat, type WorkerReports } from './evidence-upkeep.ts';

const pollMilliseconds = 1_000;

/** How long the files in progress may take to finish once the worker is stopped; then they are given back. */
const finishMilliseconds = 5_000;

/** Analyses files, several at a time, until it is stopped. The queue exists only in the store. */
export class AnalysisWorker {
  /** Of each file that was analysed, or about which registries were asked again. */
  readonly reports: WorkerReports = new EventEmitter();
  /** Asks registries again, in parallel with the analyses. */
  readonly evidence: EvidenceUpkeep;
  readonly #parts: AnalysisParts;
  readonly #atATime: number;
  readonly #stopping = new AbortController();
  readonly #givingBack = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #lastOrganisation = '';

  /** @param atATime the maximum number of files in progress */
  constructor(parts: AnalysisParts, atATime = 1) {
    this.#parts = parts;
    this.evidence = new EvidenceUpkeep(parts, this.reports);
    this.#atATime = atATime;
  }

  /** How many files are waiting for a worker. */
  countWaiting(): Promise<number> {
    const { store, tools } = this.#parts;
    return store.countWaitingAnalyses(tools.now().toISOString());
  }

  /** Analyses all waiting files, then asks registries again. @throws what the work throws, once no file is in flight */
  drainQueue(): Promise<void> {
    const draining = this.#drainQueue().then(() => this.evidence.drain(...this.#signals));
    this.#running = draining;
    return draining;
  }

  /** Analyses files as they arrive. Polls once a second while none is waiting, and after a failure. */
  watch(): void {
    const { logger } = this.#parts;
    const messages = { failed: 'analyses have stopped; retrying every second', resumed: 'analyses continue' };
    const repetition = { stopping: this.#stopping.signal, logger, messages };
    const analyses = repeat(() => this.#drainQueue(), pollMilliseconds, repetition);
    this.#running = Promise.all([analyses, this.evidence.watch(...this.#signals)]);
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

  get #signals(): [stopping: AbortSignal, givingBack: AbortSignal] {
    return [this.#stopping.signal, this.#givingBack.signal];
  }

  async #drainQueue(): Promise<void> {
    const inHand = new Map<Promise<void>, string>();
    const failures: Error[] = [];
    while (!this.#stopping.signal.aborted && failures.length === 0) {
      try {
        const turn = { after: this.#lastOrganisation, busy: [...inHand.values()] };
        const taken = inHand.size < this.#atATime && (await takeNext(this.#parts, turn));
        if (taken) {
          this.#lastOrganisation = taken.organisation_id;
          const analysis: Promise<void> = analyse(taken, this.#parts, this.#givingBack.signal)
            .then((report) => void this.reports.emit('analysed', report))
            .catch((error: unknown) => void failures.push(error as Error))
            .finally(() => inHand.delete(analysis));
          inHand.set(analysis, taken.organisation_id);
        } else if (inHand.size === 0) return;
        else await Promise.race([...inHand.keys(), sleep(pollMilliseconds, undefined, { ref: false })]);
      } catch (error) {
        failures.push(error as Error);
      }
    }
    await Promise.all(inHand.keys());
    if (failures[0]) throw failures[0];
  }
}
