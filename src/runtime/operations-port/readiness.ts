import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';
import { opendir } from 'node:fs/promises';
import { fileAccess } from '../../files/file-access.ts';

/** Whether the folder of files responds. One that does not exist yet does. */
export class FilesCheck {
  readonly #folder: BoundedCheck;

  constructor(folder: string, logger: Logger) {
    this.#folder = new BoundedCheck(() => openFolder(folder), logger, {
      passes: 'the files respond again',
      fails: 'the files do not respond',
    });
  }

  /** What works only in part for now; the result is there within two seconds. Logs when it changes. */
  async degraded(): Promise<'files'[]> {
    return (await this.#folder.passes()) ? [] : ['files'];
  }
}

function openFolder(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fileAccess.runEventually(() => open(path).then(resolve, reject));
  });
}

async function open(path: string): Promise<void> {
  try {
    const folder = await opendir(path);
    await folder.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const checkMilliseconds = 2000;

/** The log lines of a change. */
interface Messages {
  readonly passes: string;
  readonly fails: string;
}

/** A check for probes: one that hangs is not started again for each, and a result is there within two seconds. */
class BoundedCheck {
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
