import { setTimeout as sleep } from 'node:timers/promises';
import { noRedisServer, RedisServer } from '../../support/redis.ts';
import { atExit, sqliteEngine } from '../engines.ts';
import type { Scenario } from '../scenario.ts';
import { Site } from '../site.ts';
import { underFault } from '../under-fault.ts';

const awayMilliseconds = 2000;

export const redisRestarted: Scenario[] = (['open', 'closed'] as const).map((whenUnavailable) => ({
  name: `redis-restarted-${whenUnavailable}`,
  fault: `Redis is killed and started 2 s later, three times, with RATE_LIMIT_WHEN_UNAVAILABLE=${whenUnavailable}`,
  holds:
    whenUnavailable === 'open'
      ? 'every request gets 200; meanwhile each server counts requests by itself'
      : 'requests get 200 or 503, and 200 again without a restart',
  missing: () => noRedisServer,
  run: async (context) => {
    const redis = await RedisServer.start();
    const stop = atExit(() => void redis.stop());
    try {
      const site = await Site.create(sqliteEngine(context.folder));
      const statuses = whenUnavailable === 'open' ? [200] : [200, 503];
      return await underFault(site, context, {
        environment: { REDIS_URL: redis.url().href, RATE_LIMIT_WHEN_UNAVAILABLE: whenUnavailable },
        updateStatuses: statuses,
        readStatuses: statuses,
        refuses: whenUnavailable === 'closed',
        times: 3,
        inflict: async () => {
          await redis.stop();
          await sleep(awayMilliseconds);
          await redis.start();
        },
      });
    } finally {
      stop();
    }
  },
}));
