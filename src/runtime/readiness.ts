import { opendir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { fileAccess } from '../files/file-access.ts';
import type { Store } from '../store/store.ts';

const checkMilliseconds = 2000;

/** A check for probes; the result is there within two seconds. Logs when it changes. */
type Check = () => Promise<boolean>;

/** A check that fails if `run` rejects or does not respond within two seconds. One that hangs is not started again. */
function boundedCheck(run: () => Promise<void>, logger: Logger, messages: { passes: string; fails: string }): Check {
  let passed = true;
  let running: Promise<boolean> | undefined;
  const note = (passes: boolean, error?: unknown): boolean => {
    if (passes !== passed)
      if (passes) logger.info(messages.passes);
      else logger.error({ err: error }, messages.fails);
    return (passed = passes);
  };
  return async () => {
    running ??= run()
      .then(
        () => note(true),
        (error: unknown) => note(false, error),
      )
      .finally(() => (running = undefined));
    const result = await Promise.race([running, sleep(checkMilliseconds, undefined, { ref: false })]);
    return result ?? note(false, new Error(`no response within ${checkMilliseconds} ms`));
  };
}

/** Checks the folder of files, and returns what works only in part for now. A folder that does not exist yet responds. */
export function filesCheck(folder: string, logger: Logger): () => Promise<'files'[]> {
  const messages = { passes: 'the files respond again', fails: 'the files do not respond' };
  const check = boundedCheck(() => openFolder(folder), logger, messages);
  return async () => ((await check()) ? [] : ['files']);
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

/** Whether the service should be sent requests: its store responds, with the schema it needs, and it is not ending. */
export function watchReadiness(store: Pick<Store, 'check'>, logger: Logger) {
  const messages = { passes: 'ready again: the store is available', fails: 'not ready: the store is unavailable' };
  const storeResponds = boundedCheck(() => store.check(), logger, messages);
  const parts: ('serving' | 'store')[] = [];
  return {
    drain: () => parts.push('serving'),
    /** The parts that are not ready now; the result is there within two seconds. */
    notReady: async () => ((await storeResponds()) ? parts : [...parts, 'store']),
  };
}
