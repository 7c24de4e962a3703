/**
 * Limits that are exact across all servers of a region: Redis counts, with one script and one round trip per request.
 * While it is unavailable, a request waits no longer than the time limit of a command.
 */
import type { Logger } from 'pino';
import { UnavailableError } from '../domain/errors.ts';
import type { CountRequest, RateLimitCount, RateLimitStore } from './rate-limit-store.ts';
import { RedisConnection } from './redis-connection.ts';
import type { SharedRateLimits } from './settings.ts';

export interface RedisRateLimitsOptions extends SharedRateLimits {
  readonly region: string;
  /** Counts while Redis is unavailable, if requests are served then. */
  readonly local: RateLimitStore;
  readonly logger: Logger;
}

const minRetryDelay = 50;
const maxRetryDelay = 1000;

/** What an error says, without the password: some servers repeat what they were sent. Its other fields may hold it too. */
export function reasonOf(error: unknown, { password }: URL): string {
  const { code, message } = error as { code?: string; message: string };
  const reason = message || String(code);
  return password === '' ? reason : reason.replaceAll(decodeURIComponent(password), '***');
}

/** Connects to Redis. If it is unavailable now, that is like any other time: the connection is made when it is back. */
export async function redisRateLimits(options: RedisRateLimitsOptions): Promise<RateLimitStore> {
  const { redisUrl, whenUnavailable, region, local, logger } = options;
  let redis: RedisConnection;
  let retry: NodeJS.Timeout | undefined;
  let retryDelay = minRetryDelay;
  let isUnavailable = false;
  let closing = false;

  const markDown = (error: unknown): void => {
    if (isUnavailable || closing) return;
    isUnavailable = true;
    const meanwhile = whenUnavailable === 'open' ? 'each server counts for itself' : 'requests get a 503';
    logger.error(
      { reason: reasonOf(error, redisUrl) },
      `Redis is unavailable: rate limits are not shared, ${meanwhile}`,
    );
  };
  const markUp = (): void => {
    if (isUnavailable) logger.info('Redis is available again: rate limits are shared again');
    isUnavailable = false;
  };

  const connect = async (): Promise<void> => {
    redis = new RedisConnection(redisUrl, (fault) => {
      markDown(fault);
      if (!closing) retry = setTimeout(() => void connect(), retryDelay);
      retryDelay = Math.min(2 * retryDelay, maxRetryDelay);
    });
    await redis.connect().then(
      () => (retryDelay = minRetryDelay),
      () => undefined,
    );
  };
  await connect();

  return {
    counterOf: (limit): CountRequest => {
      const countLocally = whenUnavailable === 'open' ? local.counterOf(limit) : undefined;
      return async (key): Promise<RateLimitCount> => {
        try {
          const counted = await redis.count(region, limit, key);
          markUp();
          return counted;
        } catch (error) {
          markDown(error);
          if (countLocally) return countLocally(key);
          throw new UnavailableError('Requests cannot be counted while Redis is unavailable.', { isLogged: true });
        }
      };
    },
    close: () => {
      closing = true;
      clearTimeout(retry);
      redis.end(new Error('The server ends'));
      return Promise.resolve();
    },
  };
}
