import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalysisStore, Lease, LeaseTime } from '../store/analysis-store.ts';
import { StoreUnavailableError } from '../store/errors.ts';

/**
 * How long a file stays with a worker that died. A live worker may fail to renew three times before it loses a file.
 */
const leaseMilliseconds = 15_000;
const renewEveryMilliseconds = 4_000;

/** Another worker has the file, or its analysis has ended, so further work on it would be lost. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** A lease taken or renewed at this time. */
export function leaseFrom(now: Date): LeaseTime {
  return { at: now.toISOString(), leaseMilliseconds };
}

/**
 * Renews a lease while the work runs. Aborts the work's signal with a `LeaseLostError` if the lease is lost, and with
 * the given signal's reason. While the store is unavailable, no other worker can take the file, so the work continues.
 */
export async function keepLease<T>(
  lease: Lease,
  { store, now, signal }: { store: Pick<AnalysisStore, 'renewLease'>; now: () => Date; signal: AbortSignal },
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
  const renewing = renew().catch((error: unknown) => {
    ending.abort(error);
  });
  try {
    return await work(ending.signal);
  } finally {
    signal.removeEventListener('abort', giveUp);
    done.abort();
    await renewing;
  }

  async function renew(): Promise<void> {
    for (;;) {
      await sleep(renewEveryMilliseconds, undefined, { signal: done.signal }).catch(() => undefined);
      if (done.signal.aborted) return;
      if (!(await tryRenewal())) throw new LeaseLostError('The lease of a file was lost while it was analysed.');
    }
  }

  async function tryRenewal(): Promise<boolean> {
    try {
      return await store.renewLease(lease, leaseFrom(now()));
    } catch (error) {
      if (error instanceof StoreUnavailableError) return true;
      throw error;
    }
  }
}
