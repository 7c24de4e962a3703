import { setTimeout as sleep } from 'node:timers/promises';
import { ContentFolderError } from '../files/content-store.ts';
import { StoreUnavailableError } from '../store/errors.ts';

const saveAgainMilliseconds = 1_000;

/** What lies outside of the file and will pass: the store, the files' folder, or something that the machine has run out of. */
export function isOutage(error: unknown): boolean {
  if (error instanceof StoreUnavailableError || error instanceof ContentFolderError) return true;
  return /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** What cost work is not given up because the store is unavailable for a while. */
export async function whenAvailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    await sleep(saveAgainMilliseconds, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}
