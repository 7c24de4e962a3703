import type { Logger } from 'pino';
import { memoryRateLimits, type RateLimitStore } from './rate-limit-store.ts';
import type { SharedRateLimits } from './settings.ts';

interface RateLimitsConfig {
  readonly region: string;
  readonly sharedRateLimits: SharedRateLimits | undefined;
}

/**
 * Looks, before a server starts, at what its requests are to be counted in.
 * @throws {RedisUnusableError} if it is Redis and cannot be used
 */
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
