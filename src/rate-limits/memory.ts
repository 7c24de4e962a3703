import { RateLimiterMemory } from 'rate-limiter-flexible';
import { countWith, type RateLimitStore } from './rate-limit-store.ts';

/** Counts in this process alone. */
export const memoryRateLimits: RateLimitStore = {
  counterOf: ({ requests, windowSeconds }) => {
    const limiter = new RateLimiterMemory({ points: requests, duration: windowSeconds, keyPrefix: '' });
    return (key) => countWith(limiter, key);
  },
  close: () => Promise.resolve(),
};
