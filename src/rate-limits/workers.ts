/**
 * Exact limits for the workers of one machine: the primary process counts for all of them, and they ask it. A message
 * between processes costs more than all else that is done for a small response, so one carries many counts.
 */
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { countedMessage, countMessage, isCountedMessage, isCountMessage } from './count-messages.ts';
import { RateLimitsUnavailableError } from './errors.ts';
import { inBatches } from './in-batches.ts';
import { memoryRateLimits } from './memory.ts';
import type { CountRequest, RateLimit, RateLimitCount, RateLimitStore } from './rate-limit-store.ts';

const responseMilliseconds = 5000;

/** In the primary process: counts for the workers from now on. Must be called once, before the first of them starts. */
export function countForWorkers(): void {
  const counters = new Map<string, CountRequest>();
  const counterOf = (limit: RateLimit): CountRequest => {
    const counter = counters.get(limit.name) ?? memoryRateLimits.counterOf(limit);
    counters.set(limit.name, counter);
    return counter;
  };
  cluster.on('message', (worker, message: unknown) => {
    if (!isCountMessage(message)) return;
    const { id, limit, keys } = message;
    void Promise.all(keys.map(counterOf(limit))).then((counts) => worker.send(countedMessage(id, counts)));
  });
}

/** In a worker process: counts in the primary process. If that does not respond for five seconds, it is logged once. */
export function workersRateLimits(logger: Logger): RateLimitStore {
  const ask = primaryCounts();
  let unavailable = false;
  return {
    counterOf: (limit) => {
      const count = inBatches((keys: readonly string[]) => ask(limit, keys));
      return async (key) => {
        try {
          const counted = await count(key);
          if (unavailable) logger.info('the primary process counts requests again');
          unavailable = false;
          return counted;
        } catch (error) {
          if (!unavailable) logger.error({ err: error }, 'the primary process does not count requests: they get a 503');
          unavailable = true;
          throw new RateLimitsUnavailableError('Requests cannot be counted while the primary process is silent.');
        }
      };
    },
    close: () => Promise.resolve(),
  };
}

/** Asks the primary process; rejects if it does not respond in time. */
function primaryCounts() {
  const asked = new Map<number, (counts: readonly RateLimitCount[]) => void>();
  let lastId = 0;
  process.on('message', (message) => {
    if (isCountedMessage(message)) asked.get(message.id)?.(message.counts);
  });
  return (limit: RateLimit, keys: readonly string[]) =>
    new Promise<readonly RateLimitCount[]>((resolve, reject) => {
      const id = (lastId += 1);
      const timeout = setTimeout(() => {
        asked.delete(id);
        reject(new Error(`The primary process did not respond within ${responseMilliseconds} ms.`));
      }, responseMilliseconds);
      asked.set(id, (counts) => {
        asked.delete(id);
        clearTimeout(timeout);
        resolve(counts);
      });
      process.send?.(countMessage(id, limit, keys));
    });
}
