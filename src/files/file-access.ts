/**
 * File system access of requests. Node.js runs these calls on four threads, shared with DNS look-ups and cryptography,
 * and a call cannot be cancelled: while a network file system hangs, each call keeps its thread. So calls use at most
 * half of the threads, and callers that wait too long get an error.
 */
import { UnavailableError } from '../domain/errors.ts';

const threads = Number(process.env['UV_THREADPOOL_SIZE']) || 4;
const places = Math.max(1, Math.floor(threads / 2));
const boundMilliseconds = 5000;

/** The file system does not respond, or a file cannot be read for now. */
export class FilesUnavailableError extends UnavailableError {
  override readonly name = 'FilesUnavailableError';
}

/** Bounds the number of concurrent calls. A call that hangs keeps its slot. */
export function boundAccess(places: number, milliseconds: number) {
  const waiting = new Set<() => void>();
  let taken = 0;
  let overdue = 0;
  const late = () => new FilesUnavailableError(`The file system did not respond within ${milliseconds} ms.`);

  function whenFree(begin: () => void): void {
    if (taken < places) begin();
    else waiting.add(begin);
  }

  async function occupy(calls: () => Promise<void>): Promise<void> {
    taken += 1;
    await calls();
    taken -= 1;
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    next();
  }

  return {
    /**
     * Runs calls in one slot, one after the other. `given.up` becomes true when the caller no longer waits.
     * @throws {FilesUnavailableError} after the time limit, or at once if calls beyond it occupy all slots
     */
    run<T>(calls: (given: { up: boolean }) => Promise<T>): Promise<T> {
      if (overdue >= places) return Promise.reject(late());
      return new Promise((resolve, reject) => {
        const given = { up: false };
        const begin = () => {
          void occupy(() => calls(given).then(resolve, reject)).then(() => {
            clearTimeout(bound);
            if (given.up) overdue -= 1;
          });
        };
        const bound = setTimeout(() => {
          given.up = true;
          if (!waiting.delete(begin)) overdue += 1;
          reject(late());
        }, milliseconds);
        whenFree(begin);
      });
    },

    /** Runs a call that must not be skipped, such as closing a file, as soon as a slot is free. */
    runEventually: (call: () => Promise<void>): void => {
      whenFree(() => void occupy(() => call().catch(() => undefined)));
    },
  };
}

export const fileAccess = boundAccess(places, boundMilliseconds);
