/**
 * The public API of the UK register of companies. It gives one caller 600 requests in five minutes, so no more are sent,
 * however many ask. One that fails is sent again; after several failures in a row the register is left alone for a
 * while, and so it is when it asks to wait longer than anybody here does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenCircuitError, bulkhead, circuitBreaker, ConsecutiveBreaker, handleWhen } from 'cockatiel';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { type CompaniesHouseAccess, FailedAttempt, requestCompany } from './companies-house-request.ts';
import { type Registry, RegistryUnavailableError } from './registry.ts';

/** How long things take, and how often they are done. */
export const companiesHousePace = {
  /** From the question to the answer, with all waits and attempts. */
  totalMilliseconds: 30_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 250,
  concurrency: 4,
  /** Any five minutes meet 31 windows at most, which is 589 requests. */
  requestsOfWindow: 19,
  windowSeconds: 10,
  failuresUntilLeftAlone: 5,
  leftAloneMilliseconds: 30_000,
};

const longestPauseSeconds = 600;

/** The register behind its public API. What it has to wait for, all who ask this one wait for together. */
export function companiesHouse(
  access: CompaniesHouseAccess,
  logger: Logger,
  pace: typeof companiesHousePace = companiesHousePace,
): Registry {
  const places = bulkhead(pace.concurrency, Infinity);
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof FailedAttempt && error.kind !== 'limited'),
    { halfOpenAfter: pace.leftAloneMilliseconds, breaker: new ConsecutiveBreaker(pace.failuresUntilLeftAlone) },
  );
  const tokens = new RateLimiterQueue(
    new RateLimiterMemory({ points: pace.requestsOfWindow, duration: pace.windowSeconds }),
  );
  const name = `UK company register (${access.url.host})`;
  let lastFailure = '';
  let pausedUntil = 0;
  tellOutages(breaker, logger, name, () => lastFailure);

  async function attempt(companyNumber: string, signal: AbortSignal): Promise<RegistryRecord | undefined> {
    if (Date.now() < pausedUntil) throw new FailedAttempt('limited', lastFailure, Infinity);
    await tokens.removeTokens(1);
    signal.throwIfAborted();
    const attemptEnd = AbortSignal.timeout(pace.attemptMilliseconds);
    try {
      return await requestCompany(access, companyNumber, AbortSignal.any([signal, attemptEnd]));
    } catch (error) {
      signal.throwIfAborted();
      const failure = attemptEnd.aborted ? new FailedAttempt('unavailable', 'it did not answer in time') : error;
      if (failure instanceof FailedAttempt) lastFailure = failure.message;
      throw failure;
    }
  }

  function withRetries(companyNumber: string, signal: AbortSignal, end: number): Promise<RegistryRecord | undefined> {
    return pRetry(() => breaker.execute(() => attempt(companyNumber, signal)), {
      retries: pace.attempts - 1,
      minTimeout: pace.firstBackoffMilliseconds,
      randomize: true,
      signal,
      shouldRetry: async ({ error }) => {
        if (!(error instanceof FailedAttempt) || error.kind === 'misconfigured') return false;
        const waitMilliseconds = error.waitSeconds * 1000;
        if (Date.now() + waitMilliseconds >= end) {
          if (Number.isFinite(waitMilliseconds))
            pausedUntil = Date.now() + Math.min(waitMilliseconds, longestPauseSeconds * 1000);
          return false;
        }
        await sleep(waitMilliseconds, undefined, { signal });
        return true;
      },
    });
  }

  return {
    name,
    kinds: ['uk-company-number'],
    find: async (_kind, value, signal) => {
      const totalEnd = AbortSignal.timeout(pace.totalMilliseconds);
      const anyEnd = signal ? AbortSignal.any([signal, totalEnd]) : totalEnd;
      const end = Date.now() + pace.totalMilliseconds;
      try {
        return await unlessAborted(
          anyEnd,
          places.execute(() => withRetries(value, anyEnd, end), anyEnd),
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (totalEnd.aborted) throw unavailable('it gave no answer in time', error);
        if (error instanceof BrokenCircuitError)
          throw unavailable(
            `it is left alone for a while because it failed repeatedly, at last so: ${lastFailure}`,
            error,
          );
        if (error instanceof FailedAttempt) throw unavailable(error.message, error);
        throw error;
      }
    },
  };
}

function unavailable(reason: string, cause: unknown): RegistryUnavailableError {
  return new RegistryUnavailableError(`the register gave no answer: ${reason}`, { cause });
}

/** Logs the beginning and the end of an outage once each. */
function tellOutages(
  breaker: ReturnType<typeof circuitBreaker>,
  logger: Logger,
  registry: string,
  reason: () => string,
): void {
  let isUnavailable = false;
  breaker.onBreak(() => {
    if (!isUnavailable) logger.warn({ registry, reason: reason() }, 'the company register gives no answers');
    isUnavailable = true;
  });
  breaker.onReset(() => {
    isUnavailable = false;
    logger.info({ registry }, 'the company register is asked again');
  });
}

/** Settles as the work does, or rejects as soon as the signal is aborted; the work is then left to end by itself. */
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
