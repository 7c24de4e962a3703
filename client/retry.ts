/**
 * A call is retried if its method is idempotent (RFC 9110, section 9.2.2), the service responded 429 or 503 or the
 * connection failed, and the wait ends before the call's deadline. The wait is that of Retry-After plus a random,
 * growing part, so that clients do not return at the same time.
 */
import pRetry from 'p-retry';
import { ConnectionError, DocumentAnalysisError } from './errors.ts';

const idempotentMethods: readonly string[] = ['get', 'head', 'options', 'trace', 'put', 'delete'];
const postponingStatuses: readonly unknown[] = [429, 503];
const firstBackoffSeconds = 0.25;

export interface RetryPolicy {
  /** In lower case. */
  readonly method: string;
  /** Attempts after the first. */
  readonly retries: number;
  /** Aborts at the deadline, or when the caller aborts, and ends every wait. */
  readonly signal: AbortSignal;
  /** The deadline of the call on the clock of `performance.now()`. */
  readonly deadline: number;
}

/** Makes attempts until one succeeds or a failure is final, and throws that failure unchanged. */
export function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { method, retries, signal, deadline } = policy;
  return pRetry(attempt, {
    retries: idempotentMethods.includes(method) ? retries : 0,
    minTimeout: firstBackoffSeconds * 1000,
    randomize: true,
    signal,
    shouldRetry: async ({ error }) => {
      if (!isTransient(error)) return false;
      const waitMilliseconds = (error.retryAfterSeconds ?? 0) * 1000;
      if (performance.now() + waitMilliseconds >= deadline) return false;
      await wait(waitMilliseconds, signal);
      return true;
    },
  });
}

/** The seconds to wait by a Retry-After header (RFC 9110, section 10.2.3); undefined if it is absent or invalid. */
export function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Considers only the client's own errors: an error of a credential function may have such a status too. */
function isTransient(error: Error): error is DocumentAnalysisError & { retryAfterSeconds?: number } {
  if (error instanceof ConnectionError) return true;
  return error instanceof DocumentAnalysisError && 'status' in error && postponingStatuses.includes(error.status);
}

/** Resolves when the time has passed or the signal aborts, whichever is first. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
