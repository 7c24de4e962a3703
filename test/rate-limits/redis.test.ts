import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { memoryRateLimits, openRateLimits, type RateLimitStore } from '../../src/rate-limits/rate-limit-store.ts';
import { redisRateLimits } from '../../src/rate-limits/redis.ts';
import { afterwards } from '../support/afterwards.ts';
import { describeRedis } from '../support/describe-redis.ts';
import { connectRedis, redisUrl } from '../support/redis.ts';

const limit = { name: 'credential', requests: 60, windowSeconds: 60 };
const logger = pino({ level: 'silent' });

describeRedis('limits that are counted in Redis', () => {
  let redis: Awaited<ReturnType<typeof connectRedis>>;

  beforeAll(async () => {
    redis = await connectRedis(redisUrl);
    afterwards(() => {
      redis.destroy();
    });
  });

  async function open(region = 'uk'): Promise<RateLimitStore> {
    const options = { redisUrl, whenUnavailable: 'closed', region, local: memoryRateLimits, logger } as const;
    const store = await redisRateLimits(options);
    afterwards(() => store.close());
    return store;
  }

  test('are exact over several servers that count at the same time', async () => {
    const key = randomUUID();
    const counters = await Promise.all([open(), open(), open()].map(async (store) => (await store).counterOf(limit)));
    const counts = await Promise.all(counters.flatMap((count) => Array.from({ length: 40 }, async () => count(key))));
    const accepted = counts.filter((count) => count.accepted);
    expect(accepted).toHaveLength(60);
    expect(accepted.map((count) => count.remaining).sort((a, b) => a - b)).toEqual([...Array(60).keys()]);
  });

  test('end their window at the same moment for all servers, and within a window although the clock of Redis was set back', async () => {
    const name = randomUUID();
    const key = `document-analysis:uk:credential:${name}`;
    const [first, second] = [(await open()).counterOf(limit), (await open()).counterOf(limit)];
    await first(name);
    await redis.pExpire(key, 30_999);
    expect(await first(name)).toEqual({ accepted: true, remaining: 58, resetSeconds: 31 });
    expect(await second(name)).toEqual({ accepted: true, remaining: 57, resetSeconds: 31 });
    await redis.pExpire(key, 3_630_000);
    expect(await first(name)).toEqual({ accepted: true, remaining: 56, resetSeconds: 60 });
    expect(await redis.pTTL(key)).toBeLessThanOrEqual(60_000);
    await redis.del(key);
    expect((await second(name)).remaining).toBe(59);
  });

  test('are apart for each region, each limit and each key', async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    const [uk, ca] = [await open('uk'), await open('ca')];
    const count = async (store: RateLimitStore, name: string, whose: string) =>
      (await store.counterOf({ ...limit, name })(whose)).remaining;
    expect(await count(uk, 'credential', key)).toBe(59);
    expect(await count(ca, 'credential', key)).toBe(59);
    expect(await count(uk, 'failed-authentication', key)).toBe(59);
    expect(await count(uk, 'credential', other)).toBe(59);
    expect(await count(uk, 'credential', key)).toBe(58);
    expect((await redis.keys(`*${key}*`)).sort()).toEqual([
      `document-analysis:ca:credential:${key}`,
      `document-analysis:uk:credential:${key}`,
      `document-analysis:uk:failed-authentication:${key}`,
    ]);
  });

  test('are counted in one command a request', async () => {
    const key = randomUUID();
    const count = (await open()).counterOf(limit);
    await count(key);
    const monitor = await connectRedis(redisUrl);
    const seen: string[] = [];
    const { promise: isDone, resolve } = Promise.withResolvers<undefined>();
    await monitor.monitor((line) => {
      const [, source, command = ''] = /^[\d.]+ \[\d+ (\S+)\] "(\w+)"/.exec(line) ?? [];
      if (!line.includes(key) || source === 'lua') return;
      seen.push(command.toLowerCase());
      if (seen.includes('get')) resolve(undefined);
    });
    await count(key);
    await count(key);
    await redis.get(`document-analysis:uk:credential:${key}`);
    await isDone;
    monitor.destroy();
    expect(seen).toEqual(['evalsha', 'evalsha', 'get']);
  });

  test('are counted there if the configuration names it, and in this process if not', async () => {
    const key = randomUUID();
    const shared = { redisUrl, whenUnavailable: 'open' } as const;
    const store = await openRateLimits({ region: 'uk', sharedRateLimits: shared }, logger);
    afterwards(() => store.close());
    await store.counterOf(limit)(key);
    expect(await redis.get(`document-analysis:uk:credential:${key}`)).toBe('1');
    expect(await openRateLimits({ region: 'uk', sharedRateLimits: undefined }, logger)).toBe(memoryRateLimits);
    await memoryRateLimits.close();
  });
});
