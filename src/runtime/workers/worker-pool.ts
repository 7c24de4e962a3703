/** The worker processes of one machine: as many as are wanted, each replaced when it dies, all of them on demand. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type WorkerMessage, workerMessageOf } from './messages.ts';

const quietMilliseconds = 60_000;
const shortestDelay = 50;
const longestDelay = 10_000;

/** A worker ended before it served. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly exitCode: number | null;
  /** The worker's own message, as a program writes it to stderr. */
  readonly told: string | undefined;

  constructor(exitCode: number | null, signal: string | null, told?: string) {
    const reason = told === undefined ? '' : `: ${told.trim()}`;
    super(`A worker process ended before it served (${signal ?? `exit code ${exitCode}`})${reason || '.'}`);
    this.exitCode = exitCode;
    this.told = told;
  }
}

export class WorkerPool {
  readonly #size: number;
  readonly #stopMilliseconds: number;
  readonly #logger: Logger;
  /** Workers that are starting or serving and have not been asked to stop. */
  readonly #workers = new Set<Worker>();
  readonly #closing = new AbortController();
  #serving = 0;
  #rolling = Promise.resolve();
  /** Whether one is asked for that has not begun. */
  #restartWaits = false;
  #deaths = 0;
  #lastDeath = 0;

  /** @param stopMilliseconds how long a worker may take to end before it is killed */
  constructor(size: number, stopMilliseconds: number, logger: Logger) {
    this.#size = size;
    this.#stopMilliseconds = stopMilliseconds;
    this.#logger = logger;
  }

  /** How many workers serve now. */
  get serving(): number {
    return this.#serving;
  }

  /**
   * Starts the first worker, and when it serves, all others: what keeps one from starting is reported once. Resolves to their
   * port when all serve.
   * @throws {WorkerStartError} if one ends before it serves; then none is left
   */
  async start(): Promise<number> {
    try {
      const port = await this.#startWorker();
      await Promise.all(Array.from({ length: this.#size - 1 }, () => this.#startWorker()));
      return port;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Replaces each worker once a new one serves. All calls during a restart wait for one more, together. */
  restart(): Promise<void> {
    if (this.#restartWaits) return this.#rolling;
    this.#restartWaits = true;
    this.#rolling = this.#rolling.then(() => {
      this.#restartWaits = false;
      return this.#closing.signal.aborted ? undefined : this.#restartEach();
    });
    return this.#rolling;
  }

  /** Tells all workers to stop, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#workers].map((worker) => this.#stop(worker)));
    await this.#rolling;
  }

  async #restartEach(): Promise<void> {
    this.#logger.info('rolling restart: begun');
    for (const worker of [...this.#workers]) {
      if (this.#closing.signal.aborted) return;
      try {
        if (this.#workers.has(worker)) await this.#startWorker();
      } catch (error) {
        this.#logger.error({ reason: String(error) }, 'rolling restart: given up, the other workers serve on');
        void this.#refill();
        return;
      }
      await this.#stop(worker);
    }
    this.#logger.info('rolling restart: done');
  }

  /** Starts a worker and resolves to its port when it serves. */
  #startWorker(): Promise<number> {
    const worker = cluster.fork();
    this.#workers.add(worker);
    // A message to a worker that has just died is lost; that is not an error of the primary.
    worker.on('error', () => undefined);
    let serves = false;
    let told: string | undefined;
    return new Promise((resolve, reject) => {
      worker.on('message', (received: unknown) => {
        const message = workerMessageOf(received);
        if (message?.type === 'document-analysis:failure') told = message.text;
        if (message?.type !== 'document-analysis:serving') return;
        serves = true;
        this.#serving += 1;
        resolve(message.port);
      });
      worker.once('exit', (exitCode: number | null, signal: string | null) => {
        const unexpected = this.#workers.delete(worker);
        if (serves) this.#serving -= 1;
        void allRead(worker).then(() => {
          if (!serves) reject(new WorkerStartError(exitCode, signal, told));
          else if (unexpected) {
            const reason = told?.trim();
            this.#logger.error({ worker: worker.id, exitCode, signal, reason }, 'a worker has died and is replaced');
            void this.#refill();
          }
        });
      });
    });
  }

  /** Starts a worker if one is missing, and tries again if it does not come to serve. */
  async #refill(): Promise<void> {
    const { signal } = this.#closing;
    const closing = () => signal.aborted;
    await sleep(this.#nextDelay(), undefined, { signal }).catch(() => undefined);
    if (closing() || this.#workers.size >= this.#size) return;
    try {
      await this.#startWorker();
      this.#logger.info('a worker was replaced');
    } catch (error) {
      if (closing()) return;
      this.#logger.error({ reason: String(error) }, 'a worker could not be replaced; it is tried again');
      void this.#refill();
    }
  }

  /** Twice as long after each death, so that workers that die at once do not take up the machine. */
  #nextDelay(): number {
    const now = performance.now();
    if (now - this.#lastDeath > quietMilliseconds) this.#deaths = 0;
    this.#lastDeath = now;
    this.#deaths += 1;
    return Math.min(shortestDelay * 2 ** (this.#deaths - 1), longestDelay);
  }

  async #stop(worker: Worker): Promise<void> {
    this.#workers.delete(worker);
    if (worker.isDead()) return;
    // `once` would reject if the channel is closed already, as that of a worker that is ending.
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.send({ type: 'document-analysis:stop' } satisfies WorkerMessage);
    const bound = setTimeout(() => {
      this.#logger.error({ worker: worker.id }, 'a worker did not end in time and is killed');
      worker.process.kill('SIGKILL');
    }, this.#stopMilliseconds);
    await ended;
    clearTimeout(bound);
  }
}

/** Resolves when every message of a worker that has ended has been received. */
function allRead(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isConnected()) worker.once('disconnect', resolve);
    else resolve();
  });
}
