/** Exact limits for the workers of one machine: the primary process counts for all of them, and they ask it. */
import { RateLimiterCluster, RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { countWith, type RateLimitStore } from './rate-limit-store.js';

/** In the primary process: counts for the workers from now on. Must be called before the first of them starts. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}

/** In a worker process: counts in the primary process. */
export const workersRateLimits: RateLimitStore = {
  counterOf: ({ name, requests, windowSeconds }) => {
    const limiter = new RateLimiterCluster({ keyPrefix: name, points: requests, duration: windowSeconds });
    return (key) => countWith(limiter, key);
  },
  close: () => Promise.resolve(),
};
