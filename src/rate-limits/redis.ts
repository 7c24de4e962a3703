/**
 * Limits that are exact over all servers of a region: Redis counts, in one script and one round trip a request. While it
 * is unavailable, no request waits for it longer than a command may take.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import {
  type CountRequest,
  type RateLimit,
  type RateLimitCount,
  type RateLimitStore,
  RateLimitsUnavailableError,
} from './rate-limit-store.ts';
import { CheckingConnector } from './redis-socket.ts';
import type { SharedRateLimits } from './settings.ts';

export interface RedisRateLimitsOptions extends SharedRateLimits {
  readonly region: string;
  /** Counts while Redis is unavailable, if requests are served then. */
  readonly local: RateLimitStore;
  readonly logger: Logger;
}

/**
 * How long a request can be held up, at most: this long a command waits for its response. A connection on which nothing is
 * heard for as long is given up, and until there is a new one no request waits at all. A shorter time would take a burst of
 * work in this process for a Redis that is unavailable.
 */
const commandTimeout = 2000;
const socketTimeout = 2000;
const connectTimeout = 2000;
const longestRetryDelay = 1000;

/** A connection that is made again whenever it is lost, if it `reconnects`. No command waits for that or is sent twice. */
export function connectRedis(url: URL, { reconnects }: { reconnects: boolean }): Redis {
  return new Redis({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || '6379'),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    db: Number(url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' && { tls: {} }),
    Connector: CheckingConnector,
    protocol: 2,
    connectTimeout,
    commandTimeout,
    socketTimeout,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The handshake proves that the server responds; a server that still loads its data says so to each command.
    enableReadyCheck: false,
    retryStrategy: (attempt) => (reconnects ? Math.min(50 * 2 ** (attempt - 1), longestRetryDelay) : null),
    // After a failover this may be a replica now, and the name in the URL that of another server.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    connectionName: 'document-analysis',
    disableClientInfo: true,
  });
}

/** What an error says, without the password: some servers repeat what they were sent. Its other fields may hold it too. */
export function reasonOf(error: unknown, { password }: URL): string {
  const { code, message } = error as { code?: string; message: string };
  const reason = message || String(code);
  return password === '' ? reason : reason.replaceAll(decodeURIComponent(password), '***');
}

/** No window lasts longer than it may, as one would when Redis' clock is set back. */
const countScript = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[1], 'NX')
local count = redis.call('incrby', KEYS[1], 1)
local remaining = redis.call('pttl', KEYS[1])
local window = 1000 * ARGV[1]
if remaining == -1 or remaining > window then
  redis.call('expire', KEYS[1], ARGV[1])
  remaining = window
end
return {count, remaining}`;

/**
 * Counts in Redis. The keys of a region begin with its name; they hold identifiers and addresses, no secret.
 * @throws if Redis does not reply with a count and the rest of its window
 */
export function redisCounter(redis: Redis, region: string, { name, requests, windowSeconds }: RateLimit): CountRequest {
  const prefix = `document-analysis:${region}:${name}:`;
  redis.defineCommand('countRequest', { numberOfKeys: 1, lua: countScript });
  const { countRequest } = redis as unknown as { countRequest: (key: string, seconds: number) => Promise<unknown> };
  return async (key) => {
    const reply = await countRequest.call(redis, prefix + key, windowSeconds);
    // `CheckingConnector` has made sure that an array holds whole numbers.
    const [count = 0, milliseconds = 0] = Array.isArray(reply) ? (reply as number[]) : [];
    if (count < 1 || milliseconds > 1000 * windowSeconds) throw new Error('Redis sent something else than a count');
    return {
      accepted: count <= requests,
      remaining: Math.max(0, requests - count),
      resetSeconds: Math.max(1, Math.ceil(milliseconds / 1000)),
    };
  };
}

/** Connects to Redis. If it is unavailable now, that is like any other time: the connection is made when it is back. */
export async function redisRateLimits(options: RedisRateLimitsOptions): Promise<RateLimitStore> {
  const { redisUrl, whenUnavailable, region, local, logger } = options;
  const redis = connectRedis(redisUrl, { reconnects: true });
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

  redis.on('error', markDown);
  redis.on('close', () => {
    markDown(new Error('the connection was closed'));
  });
  await redis.connect().catch(markDown);

  return {
    counterOf: (limit) => {
      const count = redisCounter(redis, region, limit);
      const countLocally = whenUnavailable === 'open' ? local.counterOf(limit) : undefined;
      return async (key): Promise<RateLimitCount> => {
        try {
          const counted = await count(key);
          markUp();
          return counted;
        } catch (error) {
          markDown(error);
          if (countLocally) return countLocally(key);
          throw new RateLimitsUnavailableError('Requests cannot be counted while Redis is unavailable.');
        }
      };
    },
    close: () => {
      closing = true;
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
