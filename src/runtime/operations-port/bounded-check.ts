import type { Logger } from 'pino';

const checkMilliseconds = 2000;

/** The log lines of a change. */
interface Messages {
  readonly passes: string;
  readonly fails: string;
}

/** A check for probes: one that hangs is not started again for each, and a result is there within two seconds. */
export class BoundedCheck {
  readonly #run: () => Promise<void>;
  readonly #logger: Logger;
  readonly #messages: Messages;
  #passed = true;
  #running: Promise<boolean> | undefined;

  /** @param run rejects if the check fails; a change of its result is logged */
  constructor(run: () => Promise<void>, logger: Logger, messages: Messages) {
    this.#run = run;
    this.#logger = logger;
    this.#messages = messages;
  }

  async passes(): Promise<boolean> {
    this.#running ??= this.#run()
      .then(
        () => this.#note(true),
        (error: unknown) => this.#note(false, error),
      )
      .finally(() => (this.#running = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(this.#note(false, new Error(`no response within ${checkMilliseconds} ms`)));
      }, checkMilliseconds);
    });
    return Promise.race([this.#running, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  #note(passes: boolean, error?: unknown): boolean {
    if (passes !== this.#passed)
      if (passes) this.#logger.info(this.#messages.passes);
      else this.#logger.error({ err: error }, this.#messages.fails);
    this.#passed = passes;
    return passes;
  }
}
