/** What is done while the store, the files or a registry are unavailable: work is saved, and tried again, later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentFolderError } from '../files/content-store.ts';
import { StoreUnavailableError } from '../store/errors.ts';

/** The wait before the next attempt, by the number of consecutive attempts without a response. */
const waitMinutes = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60];

/**
 * In how many milliseconds registries are asked again after this many consecutive attempts without a response, the
 * analysis included; undefined if never.
 */
export function recheckAfter(fruitless: number): number | undefined {
  const minutes = waitMinutes[Math.max(0, fruitless - 1)];
  return minutes === undefined ? undefined : minutes * 60_000;
}

const saveAgainMilliseconds = 1_000;

/**
 * Whether an error is temporary and not the file's: the store, the file folder, or an exhausted resource of the
 * machine.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof StoreUnavailableError || error instanceof ContentFolderError) return true;
  return /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** Retries a call while the store is unavailable, so that costly work is not lost. */
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
