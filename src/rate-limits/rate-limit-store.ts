import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Requests cannot be counted for now, and must not be served uncounted. It was logged when that began. */
export class RateLimitsUnavailableError extends Error {
  override readonly name = 'RateLimitsUnavailableError';
}

/** Redis cannot be used as it is configured; the message says what the operator can do, and holds no password. */
export class RedisUnusableError extends Error {
  override readonly name = 'RedisUnusableError';
}

/** A number of requests in a window that begins with the first of them. */
export interface RateLimit {
  readonly name: string;
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The count of a request in its window. */
export interface RateLimitCount {
  /** False if the request is one too many. */
  readonly accepted: boolean;
  readonly remaining: number;
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number;
}

/**
 * Counts one request of the caller with this key.
 * @throws {RateLimitsUnavailableError} if it cannot be counted now
 */
export type CountRequest = (key: string) => Promise<RateLimitCount>;

/** Where requests are counted. */
export interface RateLimitStore {
  counterOf(limit: RateLimit): CountRequest;
  close(): Promise<void>;
}

/** Counts with one of the library's limiters, which rejects with the count itself when a request is one too many. */
function countWith(limiter: Pick<RateLimiterAbstract, 'consume'>, key: string): Promise<RateLimitCount> {
  return limiter.consume(key).then(
    (counted) => describe(counted, true),
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return describe(error, false);
      throw error;
    },
  );
}

function describe({ remainingPoints, msBeforeNext }: RateLimiterRes, accepted: boolean): RateLimitCount {
  return { accepted, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}

/** Counts in this process alone. */
export const memoryRateLimits: RateLimitStore = {
  counterOf: ({ requests, windowSeconds }) => {
    const limiter = new RateLimiterMemory({ points: requests, duration: windowSeconds, keyPrefix: '' });
    return (key) => countWith(limiter, key);
  },
  close: () => Promise.resolve(),
};
