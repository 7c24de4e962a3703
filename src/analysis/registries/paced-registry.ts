/**
 * A registry behind a rate-limited API. All questions together stay within its limit, and failed requests are retried.
 * Requests pause after several failures in a row, when the registry asks for a longer wait than any caller accepts, or
 * when it keeps refusing requests within its limit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BrokenCircuitError,
  bulkhead,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  DelegateBackoff,
  handleWhen,
  type IBackoff,
  type IRetryBackoffContext,
  retry,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import type { Logger } from 'pino';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { FailedAttempt } from './http-exchange.ts';
import { type Registry, RegistryUnavailableError } from './registry.ts';

/** The pace of requests, within a registry's own limit. */
export type Pace = typeof usualPace & { requestsOfWindow: number; windowSeconds: number };

/** The pace of a registry, but for its own limit. */
export const usualPace = {
  /** From the question to the response, including all waits and attempts. */
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 500,
  concurrency: 4,
  failuresUntilPause: 5,
  pauseMilliseconds: 30_000,
};

/**
 * Sends one request when the registry's limit allows it, with a timeout. A shared request continues when the caller
 * that started it gives up. @throws {FailedAttempt} if it takes longer; what the request throws
 */
export type Exchange = <T>(
  request: (signal: AbortSignal) => Promise<T>,
  options?: { readonly shared?: boolean },
) => Promise<T>;

export interface PacedApi extends Pick<Registry, 'name' | 'kinds'> {
  /** Asks once, each request through `exchange`; undefined if the registry has no such record. @throws {FailedAttempt} */
  readonly ask: (value: string, exchange: Exchange) => Promise<RegistryRecord | undefined>;
}

const maxPauseMilliseconds = 600_000;

export function pacedRegistry({ name, kinds, ask }: PacedApi, logger: Logger, pace: Pace): Registry {
  const places = bulkhead(pace.concurrency, Infinity);
  // After a test request without a result the pause goes on, as after a failed one.
  const isFailure = (error: Error) =>
    breaker.state === CircuitState.HalfOpen || (error instanceof FailedAttempt && error.kind !== 'limited');
  const breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isFailure), {
    breaker: new ConsecutiveBreaker(pace.failuresUntilPause),
    halfOpenAfter: { next: () => pauseOf(pace.pauseMilliseconds) },
  });
  let isOutageKnown = false;
  breaker.onBreak(() => {
    if (!isOutageKnown) logger.warn({ registry: name, reason: lastFailure }, 'a registry is unavailable');
    isOutageKnown = true;
  });
  breaker.onReset(() => {
    isOutageKnown = false;
    logger.info({ registry: name }, 'a registry is asked again');
  });
  const time = timeout(pace.totalMilliseconds, TimeoutStrategy.Aggressive);
  let lastFailure = '';
  /** A question that starts earlier waits until then, or fails at once if that is past its deadline. */
  let pausedUntil = -Infinity;
  /** When the last requests were sent, or will be: as many as a window may have. */
  const sent = Array.from({ length: pace.requestsOfWindow }, () => -Infinity);

  async function withinLimit(): Promise<void> {
    const [first = -Infinity] = sent.splice(0, 1);
    const at = Math.max(performance.now(), first + pace.windowSeconds * 1000);
    sent.push(at);
    await sleep(Math.ceil(at - performance.now()));
  }

  const exchangeUntil =
    (signal: AbortSignal): Exchange =>
    async (request, { shared = false } = {}) => {
      await withinLimit();
      if (!shared) signal.throwIfAborted();
      const attemptEnd = AbortSignal.timeout(pace.attemptMilliseconds);
      try {
        return await request(shared ? attemptEnd : AbortSignal.any([signal, attemptEnd]));
      } catch (error) {
        if (!shared) signal.throwIfAborted();
        throw attemptEnd.aborted ? new FailedAttempt('unavailable', 'it did not respond in time') : error;
      }
    };

  async function attempt(value: string, signal: AbortSignal, isLast: boolean): Promise<RegistryRecord | undefined> {
    const pausedMilliseconds = pausedUntil - performance.now();
    if (pausedMilliseconds > 0) throw new FailedAttempt('limited', lastFailure, pausedMilliseconds / 1000);
    try {
      return await ask(value, exchangeUntil(signal));
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
      lastFailure = error.message;
      if (error.kind === 'limited') {
        // Questions asked meanwhile wait too, even if the caller of this one gives up.
        const asked = Math.max(waitOf(error), isLast ? pace.pauseMilliseconds : 0);
        pausedUntil = Math.max(pausedUntil, performance.now() + Math.min(asked, maxPauseMilliseconds));
      }
      throw error;
    }
  }

  /** The attempts of one question. Its waits hold no place, because cockatiel does not end them when the caller gives up. */
  function retriesUntil(end: number) {
    const isWorthwhile = (error: Error) =>
      error instanceof FailedAttempt && error.kind !== 'misconfigured' && performance.now() + waitOf(error) < end;
    const backoff = new DelegateBackoff(({ attempt: number, result }: IRetryBackoffContext<unknown>) => {
      const asked = 'error' in result ? waitOf(result.error) : 0;
      return asked + pace.firstBackoffMilliseconds * 2 ** (number - 1) * (1 + Math.random());
    });
    return retry(handleWhen(isWorthwhile), { maxAttempts: pace.attempts - 1, backoff }).dangerouslyUnref();
  }

  return {
    name,
    kinds,
    questionsAtOnce: pace.concurrency,
    find: async (_kind, value, signal) => {
      const retries = retriesUntil(performance.now() + pace.totalMilliseconds);
      try {
        return await wrap(time, retries).execute(
          (context) =>
            // Without a signal, for which a place that becomes free would be lost on a question that was given up meanwhile.
            places.execute(() => {
              context.signal.throwIfAborted();
              return breaker.execute(() => attempt(value, context.signal, context.attempt === pace.attempts - 1));
            }),
          signal,
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof TaskCancelledError) throw unavailable('it did not respond in time', error);
        if (error instanceof BrokenCircuitError)
          throw unavailable(`requests are paused because it failed repeatedly, most recently: ${lastFailure}`, error);
        if (error instanceof FailedAttempt) throw unavailable(error.message, error);
        throw error;
      }
    },
  };
}

/** A pause by the monotonic clock. Cockatiel compares its duration with the system time, which can be set. */
function pauseOf(milliseconds: number): IBackoff<unknown> {
  const end = performance.now() + milliseconds;
  return {
    get duration() {
      return performance.now() < end ? Infinity : -Infinity;
    },
    next: () => pauseOf(milliseconds),
  };
}

function waitOf(error: Error): number {
  return error instanceof FailedAttempt ? error.waitSeconds * 1000 : 0;
}

function unavailable(reason: string, cause: unknown): RegistryUnavailableError {
  return new RegistryUnavailableError(`the register is unavailable: ${reason}`, { cause });
}
