/** A file is leased to a worker while it works on it. Work is saved, and tried again later, when the store is unavailable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentFolderError } from '../files/content-store.ts';
import type { LeaseTime } from '../store/analysis-store.ts';
import { StoreUnavailableError } from '../store/errors.ts';

/** How long a file stays with a worker that died. A live worker may fail to renew three times before it loses a file. */
const leaseMilliseconds = 15_000;
const renewEveryMilliseconds = 4_000;
const saveAgainMilliseconds = 1_000;

/** The wait before the next attempt, by the number of consecutive attempts without a response. */
const waitMinutes = [1, 5, 30, 2 * 60, 6 * 60, 24 * 60];

/** Another worker has the file, or its analysis has ended, so further work on it would be lost. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface HeldLease {
  readonly renew: (time: LeaseTime) => Promise<boolean>;
  /** Gives the file back; false if the lease is lost. */
  readonly release: () => Promise<boolean>;
  readonly now: () => Date;
}

export function leaseFrom(now: Date): LeaseTime {
  return { at: now.toISOString(), leaseMilliseconds };
}

/**
 * Works on a file while its lease is renewed. Gives the file back if the signal aborts, and on an outage.
 * @throws what the work throws, unless the file is lost or the signal aborts
 */
export async function underLease<T>(
  held: HeldLease,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'lost' | 'given_back'> {
  try {
    return await renewDuring(held, signal, work);
  } catch (error) {
    if (error instanceof LeaseLostError) return 'lost';
    // Any other error counts as an attempt, so that a file that always fails is not tried forever.
    if (!signal.aborted && !isOutage(error)) throw error;
    const isGivenBack = await held.release();
    if (!signal.aborted) throw error;
    return isGivenBack ? 'given_back' : 'lost';
  }
}

/**
 * Aborts the work's signal with a `LeaseLostError` if the lease is lost, and with the given signal's reason. While the
 * store is unavailable, no other worker can take the file, so the work continues.
 */
async function renewDuring<T>(
  { renew, now }: HeldLease,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const giveUp = (): void => {
    ending.abort(signal.reason);
  };
  // The worker's signal outlives all files, and `AbortSignal.any` would leak a little memory on it for each one.
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  const done = new AbortController();
  const renewing = renewUntil(done.signal).catch((error: unknown) => {
    ending.abort(error);
  });
  try {
    return await work(ending.signal);
  } finally {
    signal.removeEventListener('abort', giveUp);
    done.abort();
    await renewing;
  }

  async function renewUntil(end: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(renewEveryMilliseconds, undefined, { signal: end }).catch(() => undefined);
      if (end.aborted) return;
      const isKept = await renew(leaseFrom(now())).catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) return true;
        throw error;
      });
      if (!isKept) throw new LeaseLostError('The lease of a file was lost while it was analysed.');
    }
  }
}

/** In how many milliseconds registries are asked again after attempts without a response; undefined if never. */
export function recheckAfter(fruitless: number): number | undefined {
  const minutes = waitMinutes[Math.max(0, fruitless - 1)];
  return minutes === undefined ? undefined : minutes * 60_000;
}

/** Whether an error is temporary and not the file's: the store, the file folder, or an exhausted resource of the machine. */
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
