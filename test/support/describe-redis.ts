import { describe } from '@jest/globals';
import { noRedis, noRedisServer } from './redis.ts';

/** Describes what needs a Redis; where there is none, the tests are skipped and their title says why. */
export const describeRedis = describeUnless(noRedis);

/** Describes what needs a Redis of its own, to stop it or to give it other settings. */
export const describeRedisServer = describeUnless(noRedisServer);

function describeUnless(missing: string | undefined) {
  return (name: string, body: () => void): void => {
    if (missing === undefined) describe(name, body);
    else describe.skip(`${name} (skipped: ${missing})`, body);
  };
}
