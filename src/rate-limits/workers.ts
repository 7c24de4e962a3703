/** Exact limits for the workers of one machine: the primary process counts for all of them, and they ask it. */
import type { Logger } from 'pino';
import { RateLimiterCluster, RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { RateLimitsUnavailableError } from './errors.js';
import { countWith, type RateLimitStore } from './rate-limit-store.js';

/** In the primary process: counts for the workers from now on. Must be called before the first of them starts. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}

/** In a worker process: counts in the primary process. If that does not answer for five seconds, it is logged once. */
export function workersRateLimits(logger: Logger): RateLimitStore {
  let away = false;
  return {
    counterOf: ({ name, requests, windowSeconds }) => {
      const limiter = new RateLimiterCluster({ keyPrefix: name, points: requests, duration: windowSeconds });
      return async (key) => {
        try {
          const count = await countWith(limiter, key);
          if (away) logger.info('the primary process counts requests again');
          away = false;
          return count;
        } catch (error) {
          if (!away) logger.error({ err: error }, 'the primary process does not count requests: they are answered 503');
          away = true;
          throw new RateLimitsUnavailableError('Requests cannot be counted while the primary process is silent.');
        }
      };
    },
    close: () => Promise.resolve(),
  };
}
