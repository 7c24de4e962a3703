/** A file is leased to a worker while it works on it. Work is saved, and tried again later, when the store is unavailable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentFolderError } from '../files/content-store.ts';
import type { LeaseTime } from '../store/parts/leases.ts';
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

/** A file that is leased to this worker, and its processing. */
export interface LeasedWork<Ending, Outcome> {
  readonly renew: (time: LeaseTime) => Promise<boolean>;
  /** Gives the file back; false if the lease is lost. */
  readonly release: () => Promise<boolean>;
  readonly now: () => Date;
  readonly work: (signal: AbortSignal) => Promise<Ending>;
  /** The result if processing fails because of the file itself. */
  readonly failed: (error: unknown) => Ending;
  /** Undefined if the lease is lost. Called again while the store is unavailable, so that costly work is not lost. */
  readonly save: (ending: Ending) => Promise<Outcome | undefined>;
}

export function leaseFrom(now: Date): LeaseTime {
  return { at: now.toISOString(), leaseMilliseconds };
}

/**
 * Works on a file while its lease is renewed. Returns the file to the queue if the signal aborts, and on an outage.
 * @throws an error that would also affect any other file, unless the lease is lost or the signal aborts
 */
export async function underLease<Ending, Outcome>(
  leased: LeasedWork<Ending, Outcome>,
  signal: AbortSignal,
): Promise<Outcome | 'lost' | 'given_back'> {
  const { release, work, failed, save } = leased;
  try {
    const saved = await renewDuring(leased, signal, async (during) => {
      const ending = await work(during).catch((error: unknown) => failed(ownFault(error, during)));
      return whenAvailable(() => save(ending), during);
    });
    return saved ?? 'lost';
  } catch (error) {
    if (error instanceof LeaseLostError) return 'lost';
    // Any other error counts as an attempt, so that a file that always fails is not tried forever.
    if (!signal.aborted && !isOutage(error)) throw error;
    const isGivenBack = await release();
    if (!signal.aborted) throw error;
    return isGivenBack ? 'given_back' : 'lost';
  }
}

/** An error, if it is the file's own. @throws the signal's reason, or an error that would also affect any other file */
export function ownFault(error: unknown, signal: AbortSignal): unknown {
  signal.throwIfAborted();
  if (isOutage(error)) throw error;
  return error;
}

/**
 * Aborts the work's signal with a `LeaseLostError` if the lease is lost, and with the given signal's reason. While the
 * store is unavailable, no other worker can take the file, so the work continues.
 */
async function renewDuring<T>(
  { renew, now }: Pick<LeasedWork<unknown, unknown>, 'renew' | 'now'>,
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
function isOutage(error: unknown): boolean {
  if (error instanceof StoreUnavailableError || error instanceof ContentFolderError) return true;
  return /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

async function whenAvailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
