import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

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
export function countWith(limiter: Pick<RateLimiterAbstract, 'consume'>, key: string): Promise<RateLimitCount> {
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
