/**
 * A registry behind a rate-limited API. All questions together stay within its limit. A failed request is retried. The
 * registry is left alone for a while after several failures in a row, when it asks for a longer wait than any caller
 * accepts, or when it keeps refusing requests that are within its limit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bulkhead } from 'cockatiel';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterQueue, RateLimiterRes } from 'rate-limiter-flexible';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { FailedAttempt } from './http-exchange.ts';
import { LeftAloneError, Outage } from './outage.ts';
import { type Registry, RegistryUnavailableError } from './registry.ts';

/** The timeouts, attempts and limits of a registry. */
export interface Pace {
  /** From the question to the response, including all waits and attempts. */
  totalMilliseconds: number;
  /** For one request. */
  attemptMilliseconds: number;
  attempts: number;
  firstBackoffMilliseconds: number;
  concurrency: number;
  requestsOfWindow: number;
  windowSeconds: number;
  failuresUntilLeftAlone: number;
  leftAloneMilliseconds: number;
}

/**
 * Sends one request when the registry's limit allows it, with a timeout. A shared request continues when the caller
 * that started it gives up, because others wait for it too.
 * @throws {FailedAttempt} if it takes longer; what the request throws
 */
export type Exchange = <T>(
  request: (signal: AbortSignal) => Promise<T>,
  options?: { readonly shared?: boolean },
) => Promise<T>;

/** A registry behind an API. */
export interface PacedApi extends Pick<Registry, 'name' | 'kinds'> {
  /** Its name in the log. */
  readonly description: string;
  /**
   * Asks once; undefined if the registry has no such record. Sends each request through `exchange`. @throws
   * {FailedAttempt}
   */
  readonly ask: (value: string, exchange: Exchange) => Promise<RegistryRecord | undefined>;
}

const longestPauseSeconds = 600;

/** Makes a registry of an API. All its callers share the waits. */
export function pacedRegistry({ name, kinds, description, ask }: PacedApi, logger: Logger, pace: Pace): Registry {
  const places = bulkhead(pace.concurrency, Infinity);
  const tokens = new RateLimiterQueue(
    new BoundedWindow({ points: pace.requestsOfWindow, duration: pace.windowSeconds }),
  );
  let lastFailure = '';
  /** A question that starts earlier waits until then, or fails at once if that is past its deadline. */
  let pausedUntil = -Infinity;
  /** A question that starts earlier fails at once. */
  let limitedUntil = -Infinity;
  const outage = new Outage(pace, {
    begun: () => {
      logger.warn({ registry: name, reason: lastFailure }, `${description} is unavailable`);
    },
    over: () => {
      logger.info({ registry: name }, `${description} is asked again`);
    },
  });

  const exchangeUntil =
    (signal: AbortSignal): Exchange =>
    async (request, { shared = false } = {}) => {
      await tokens.removeTokens(1);
      if (!shared) signal.throwIfAborted();
      const attemptEnd = AbortSignal.timeout(pace.attemptMilliseconds);
      try {
        return await request(shared ? attemptEnd : AbortSignal.any([signal, attemptEnd]));
      } catch (error) {
        if (!shared) signal.throwIfAborted();
        throw attemptEnd.aborted ? new FailedAttempt('unavailable', 'it did not respond in time') : error;
      }
    };

  async function attempt(value: string, signal: AbortSignal): Promise<RegistryRecord | undefined> {
    if (performance.now() < limitedUntil) throw new FailedAttempt('limited', lastFailure, Infinity);
    const pausedMilliseconds = pausedUntil - performance.now();
    if (pausedMilliseconds > 0) throw new FailedAttempt('limited', lastFailure, pausedMilliseconds / 1000);
    try {
      return await ask(value, exchangeUntil(signal));
    } catch (error) {
      if (error instanceof FailedAttempt) lastFailure = error.message;
      throw error;
    }
  }

  const pauseEnd = (milliseconds: number): number =>
    performance.now() + Math.min(milliseconds, longestPauseSeconds * 1000);

  function withRetries(value: string, signal: AbortSignal, end: number): Promise<RegistryRecord | undefined> {
    return pRetry(() => outage.watch(() => attempt(value, signal), isFailure), {
      retries: pace.attempts - 1,
      minTimeout: pace.firstBackoffMilliseconds,
      randomize: true,
      signal,
      onFailedAttempt: ({ error, retriesLeft }) => {
        if (retriesLeft === 0 && isLimit(error))
          limitedUntil = pauseEnd(Math.max(error.waitSeconds * 1000, pace.leftAloneMilliseconds));
      },
      shouldRetry: async ({ error }) => {
        if (!(error instanceof FailedAttempt) || error.kind === 'misconfigured') return false;
        const waitMilliseconds = error.waitSeconds * 1000;
        // Questions asked meanwhile wait too, even if the caller of this one gives up.
        if (isLimit(error)) pausedUntil = Math.max(pausedUntil, pauseEnd(waitMilliseconds));
        if (performance.now() + waitMilliseconds >= end) return false;
        await sleep(waitMilliseconds, undefined, { signal });
        return true;
      },
    });
  }

  return {
    name,
    kinds,
    questionsAtOnce: pace.concurrency,
    find: async (_kind, value, signal) => {
      const totalEnd = AbortSignal.timeout(pace.totalMilliseconds);
      const anyEnd = signal ? AbortSignal.any([signal, totalEnd]) : totalEnd;
      const end = performance.now() + pace.totalMilliseconds;
      try {
        return await unlessAborted(
          anyEnd,
          places.execute(() => withRetries(value, anyEnd, end), anyEnd),
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (totalEnd.aborted) throw unavailable('it did not respond in time', error);
        if (error instanceof LeftAloneError)
          throw unavailable(`requests are paused because it failed repeatedly, most recently: ${lastFailure}`, error);
        if (error instanceof FailedAttempt) throw unavailable(error.message, error);
        throw error;
      }
    },
  };
}

function unavailable(reason: string, cause: unknown): RegistryUnavailableError {
  return new RegistryUnavailableError(`the register is unavailable: ${reason}`, { cause });
}

function isFailure(error: unknown): boolean {
  return error instanceof FailedAttempt && error.kind !== 'limited';
}

/** Whether the registry itself refused the request, not a pause that followed from a refusal. */
function isLimit(error: unknown): error is FailedAttempt {
  return error instanceof FailedAttempt && error.kind === 'limited' && Number.isFinite(error.waitSeconds);
}

/**
 * Ends a window in time, whatever the system clock says: after it was set back, only the time left would seem longer.
 */
class BoundedWindow extends RateLimiterMemory {
  override async consume(key: string, points?: number): Promise<RateLimiterRes> {
    try {
      return await super.consume(key, points);
    } catch (error) {
      if (error instanceof RateLimiterRes)
        Object.assign(error, { msBeforeNext: Math.min(error.msBeforeNext, this.duration * 1000) });
      throw error;
    }
  }
}

/** Settles as the work does, or rejects as soon as the signal aborts; the work itself continues. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
