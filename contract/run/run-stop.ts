import { setMaxListeners } from 'node:events';
import type { CheckResult } from './model.ts';

/** What a run is stopped by, beside a target that is gone. */
export interface StopOptions {
  /** How long the whole run may take; what has not run by then is not run. */
  readonly runTimeoutSeconds?: number;
  /** Stops the run once it is aborted; its reason is an error that says why. */
  readonly signal?: AbortSignal;
}

/** Ends a run before its time, once, with a reason. */
export class RunStop {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ signal, runTimeoutSeconds }: StopOptions) {
    setMaxListeners(0, this.#controller.signal);
    if (signal) {
      const interrupt = () => {
        this.stop((signal.reason as Error).message);
      };
      if (signal.aborted) interrupt();
      else signal.addEventListener('abort', interrupt, { once: true, signal: this.signal });
    }
    if (runTimeoutSeconds !== undefined)
      this.#timer = setTimeout(() => {
        this.stop(`the run has taken the ${runTimeoutSeconds} s that it may take`);
      }, runTimeoutSeconds * 1000);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the run was stopped, if it was. */
  get reason(): string | undefined {
    return this.signal.aborted ? (this.signal.reason as Error).message : undefined;
  }

  stop(reason: string): void {
    this.#controller.abort(new Error(reason));
  }

  /** The run is over by itself. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** A failure that says nothing but that the run was stopped is none: the check was not run. */
  settled(result: CheckResult): CheckResult {
    const { reason } = this;
    if (reason === undefined || result.outcome !== 'failed') return result;
    if (!result.failures.every(({ message }) => message.includes(reason))) return result;
    return { ...result, outcome: 'not run', reason, failures: [] };
  }
}
