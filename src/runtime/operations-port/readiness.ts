import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';

/** What can keep the service from being ready. */
export type Part = 'store' | 'serving';

const checkMilliseconds = 2000;

/** Whether the service should be sent requests: its store responds, with the schema it needs, and it is not ending. */
export class Readiness {
  readonly #store: Pick<Store, 'check'>;
  readonly #logger: Logger;
  #draining = false;
  #storeResponded = true;
  #check: Promise<boolean> | undefined;

  constructor(store: Pick<Store, 'check'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** From now on the service is not ready: it is about to end. */
  drain(): void {
    this.#draining = true;
  }

  /** The parts that are not ready now; a result is there within two seconds. The log is told when the store's changes. */
  async notReady(): Promise<Part[]> {
    const storeResponds = await this.#storeResponds();
    return [...(this.#draining ? ['serving' as const] : []), ...(storeResponds ? [] : ['store' as const])];
  }

  /** A check that hangs is not started again for each probe. */
  async #storeResponds(): Promise<boolean> {
    this.#check ??= this.#store
      .check()
      .then(
        () => this.#noteStore(true),
        (error: unknown) => this.#noteStore(false, error),
      )
      .finally(() => (this.#check = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(this.#noteStore(false, new Error(`no response within ${checkMilliseconds} ms`)));
      }, checkMilliseconds);
    });
    return Promise.race([this.#check, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  #noteStore(responds: boolean, error?: unknown): boolean {
    if (responds !== this.#storeResponded)
      if (responds) this.#logger.info('ready again: the store responds');
      else this.#logger.error({ err: error }, 'not ready: the store does not respond');
    this.#storeResponded = responds;
    return responds;
  }
}
