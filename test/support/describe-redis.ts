import { describeUnless } from './describe-postgres.ts';
import { noRedis, noRedisServer } from './redis.ts';

/** Describes what needs a Redis; where there is none, the tests are skipped and their title says why. */
export const describeRedis = describeUnless(noRedis);

/** Describes what needs a Redis of its own, to stop it or to give it other settings. */
export const describeRedisServer = describeUnless(noRedisServer);
