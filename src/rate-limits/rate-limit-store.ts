import type { Logger } from 'pino';
import type { Config } from '../runtime/config.ts';

export interface RateLimit {
  readonly name: string;
  readonly requests: number;
  readonly windowSeconds: number;
}

export interface RateLimitCount {
  readonly accepted: boolean;
  readonly remaining: number;
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number;
}

/**
 * Counts one request of the caller with this key, at once if it is counted in this process.
 * @throws {UnavailableError} if it cannot be counted now
 */
export type CountRequest = (key: string) => RateLimitCount | Promise<RateLimitCount>;

export interface RateLimitStore {
  counterOf(limit: RateLimit): CountRequest;
  close(): Promise<void>;
}

/** What follows from a count and the milliseconds that are left of its window. */
export function countedOf({ requests }: RateLimit, count: number, milliseconds: number): RateLimitCount {
  const resetSeconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return { accepted: count <= requests, remaining: Math.max(0, requests - count), resetSeconds };
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/** So many callers are counted at once; past it, the count of the one whose window began first is forgotten. */
export const maxCallers = 1_000_000;

/** Counts in this process alone, on a clock that nobody sets, in whole milliseconds: sums of fractions are not exact. */
function memoryCounter(limit: RateLimit): CountRequest {
  // Ordered by the end of the windows, because all have the same length.
  const windows = new Map<string, Window>();
  const windowAt = (now: number, key: string): Window => {
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > now && windows.size < maxCallers) break;
      windows.delete(oldest);
    }
    const window = { count: 0, endsAt: now + limit.windowSeconds * 1000 };
    windows.delete(key);
    windows.set(key, window);
    return window;
  };
  return (key) => {
    const now = Math.trunc(performance.now());
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now) window = windowAt(now, key);
    window.count += 1;
    return countedOf(limit, window.count, window.endsAt - now);
  };
}

export const memoryRateLimits: RateLimitStore = {
  counterOf: memoryCounter,
  close: () => Promise.resolve(),
};

type RateLimitsConfig = Pick<Config, 'region' | 'sharedRateLimits'>;

/** Checks before a server starts that its requests can be counted. @throws {OperatorError} if Redis cannot be used */
export async function checkRateLimits({ region, sharedRateLimits }: RateLimitsConfig): Promise<void> {
  if (!sharedRateLimits) return;
  const { checkRedis } = await import('./redis-check.ts');
  await checkRedis(sharedRateLimits.redisUrl, region);
}

export async function openRateLimits(
  { region, sharedRateLimits }: RateLimitsConfig,
  logger: Logger,
): Promise<RateLimitStore> {
  if (!sharedRateLimits) return memoryRateLimits;
  const { redisRateLimits } = await import('./redis.ts');
  return redisRateLimits({ ...sharedRateLimits, region, local: memoryRateLimits, logger });
}
