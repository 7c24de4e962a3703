/**
 * Exact limits for the workers of one machine: the primary process counts for all of them, and they ask it. A message
 * between processes costs more than all else that is done for a small response, so one carries many counts.
 */
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import {
  type CountRequest,
  memoryRateLimits,
  type RateLimit,
  type RateLimitCount,
  type RateLimitStore,
  RateLimitsUnavailableError,
} from './rate-limit-store.ts';
import { setImmediate as endOfTurn } from 'node:timers/promises';

/** What workers and their primary process tell each other to count requests, many of them in one message. */
const countType = 'document-analysis:count';
const countedType = 'document-analysis:counted';

/** From a worker: count a request for each of these keys, in their order. */
export interface CountMessage {
  readonly type: typeof countType;
  /** Which question of its worker this is. */
  readonly id: number;
  readonly limit: RateLimit;
  readonly keys: readonly string[];
}

/** From the primary: where these requests stand, in the order of the keys. */
export interface CountedMessage {
  readonly type: typeof countedType;
  readonly id: number;
  readonly counts: readonly RateLimitCount[];
}

function isOfType<M extends { readonly type: string }>(message: unknown, type: M['type']): message is M {
  return (message as { type?: unknown } | null)?.type === type;
}

/** How many turns of the event loop a batch grows for at most, so that its first item does not wait for long. */
const mostTurns = 8;

/**
 * Asks for many results at once. A batch is sent after the first turn of the event loop that added nothing to it, and once
 * the previous batch has its result: a lone item hardly waits, and batches grow as either side gets busier. If a batch
 * fails, the one that waits for it fails too.
 *
 * @param ask gives as many results as items, in their order
 */
export function inBatches<Item, Result>(
  ask: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let collecting: { readonly items: Item[]; readonly results: Promise<readonly Result[]> } | undefined;
  let inFlight: Promise<readonly Result[]> | undefined;

  const settle = async (items: readonly Item[]): Promise<readonly Result[]> => {
    try {
      await batchSettled(items);
      await inFlight;
    } finally {
      collecting = undefined;
    }
    try {
      return await (inFlight = ask(items));
    } finally {
      inFlight = undefined;
    }
  };
  const collect = (item: Item) => {
    if (collecting) collecting.items.push(item);
    else {
      const items = [item];
      collecting = { items, results: settle(items) };
    }
    return collecting;
  };

  return async (item) => {
    const { items, results } = collect(item);
    const place = items.length - 1;
    return (await results)[place] as Result;
  };
}

/** Resolves when a turn has added no item. */
async function batchSettled(items: readonly unknown[]): Promise<void> {
  let before = 0;
  for (let turns = 0; turns < mostTurns && items.length > before; turns += 1) {
    before = items.length;
    await endOfTurn();
  }
}

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
    if (!isOfType<CountMessage>(message, countType)) return;
    const { id, limit, keys } = message;
    const count = counterOf(limit);
    void Promise.all(keys.map(async (key) => count(key))).then((counts) =>
      worker.send({ type: countedType, id, counts } satisfies CountedMessage),
    );
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
    if (isOfType<CountedMessage>(message, countedType)) asked.get(message.id)?.(message.counts);
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
      process.send?.({ type: countType, id, limit, keys } satisfies CountMessage);
    });
}
