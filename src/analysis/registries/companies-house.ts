/**
 * The public API of the UK register of companies. It gives one caller 600 requests in five minutes, so no more are sent,
 * however many ask. One that fails is sent again; after several failures in a row the register is left alone for a
 * while, and so it is when it asks to wait longer than anybody here does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bulkhead } from 'cockatiel';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterQueue, RateLimiterRes } from 'rate-limiter-flexible';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { type CompaniesHouseAccess, FailedAttempt, requestCompany } from './companies-house-request.ts';
import { LeftAloneError, Outage } from './outage.ts';
import { type Registry, RegistryUnavailableError } from './registry.ts';

/** How long things take, and how often they are done. */
export const companiesHousePace = {
  /** From the question to the response, with all waits and attempts. */
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
  const tokens = new RateLimiterQueue(
    new BoundedWindow({ points: pace.requestsOfWindow, duration: pace.windowSeconds }),
  );
  const name = `UK company register (${access.url.host})`;
  let lastFailure = '';
  let pausedUntil = -Infinity;
  const outage = new Outage(pace, {
    begun: () => {
      logger.warn({ registry: name, reason: lastFailure }, 'the company register is unavailable');
    },
    over: () => {
      logger.info({ registry: name }, 'the company register is asked again');
    },
  });

  async function attempt(companyNumber: string, signal: AbortSignal): Promise<RegistryRecord | undefined> {
    if (performance.now() < pausedUntil) throw new FailedAttempt('limited', lastFailure, Infinity);
    await tokens.removeTokens(1);
    signal.throwIfAborted();
    const attemptEnd = AbortSignal.timeout(pace.attemptMilliseconds);
    try {
      return await requestCompany(access, companyNumber, AbortSignal.any([signal, attemptEnd]));
    } catch (error) {
      signal.throwIfAborted();
      const failure = attemptEnd.aborted ? new FailedAttempt('unavailable', 'it did not respond in time') : error;
      if (failure instanceof FailedAttempt) lastFailure = failure.message;
      throw failure;
    }
  }

  function withRetries(companyNumber: string, signal: AbortSignal, end: number): Promise<RegistryRecord | undefined> {
    return pRetry(() => outage.watch(() => attempt(companyNumber, signal), isFailure), {
      retries: pace.attempts - 1,
      minTimeout: pace.firstBackoffMilliseconds,
      randomize: true,
      signal,
      shouldRetry: async ({ error }) => {
        if (!(error instanceof FailedAttempt) || error.kind === 'misconfigured') return false;
        const waitMilliseconds = error.waitSeconds * 1000;
        if (performance.now() + waitMilliseconds >= end) {
          if (Number.isFinite(waitMilliseconds))
            pausedUntil = performance.now() + Math.min(waitMilliseconds, longestPauseSeconds * 1000);
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
  return new RegistryUnavailableError(`the register is unavailable: ${reason}`, { cause });
}

function isFailure(error: unknown): boolean {
  return error instanceof FailedAttempt && error.kind !== 'limited';
}

/** A window ends in time, whatever the clock says; when that was set back, only the time that is left seems longer. */
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
