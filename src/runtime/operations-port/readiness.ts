import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';
import { BoundedCheck } from './bounded-check.ts';

/** What can keep the service from being ready. */
export type Part = 'store' | 'serving';

/** Whether the service should be sent requests: its store responds, with the schema it needs, and it is not ending. */
export class Readiness {
  readonly #store: BoundedCheck;
  #draining = false;

  constructor(store: Pick<Store, 'check'>, logger: Logger) {
    this.#store = new BoundedCheck(() => store.check(), logger, {
      passes: 'ready again: the store is available',
      fails: 'not ready: the store is unavailable',
    });
  }

  /** From now on the service is not ready: it is about to end. */
  drain(): void {
    this.#draining = true;
  }

  /** The parts that are not ready now; the result is there within two seconds. Logs when that of the store changes. */
  async notReady(): Promise<Part[]> {
    const storeResponds = await this.#store.passes();
    return [...(this.#draining ? ['serving' as const] : []), ...(storeResponds ? [] : ['store' as const])];
  }
}
