import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimitsUnavailableError } from '../../src/rate-limits/errors.js';
import { workersRateLimits } from '../../src/rate-limits/workers.js';

interface Asked {
  channel: string;
  type?: 'init';
  opts?: { keyPrefix: string };
  promiseId?: string;
  keyPrefix?: string;
}

const given = Object.getOwnPropertyDescriptor(process, 'send');
afterEach(() => {
  process.removeAllListeners('message');
  if (given) Object.defineProperty(process, 'send', given);
  else delete process.send;
});

test('a primary process that falls silent makes requests unavailable, is logged once, and is used again', async () => {
  let silent = true;
  // The channel to the primary process, as the limiter's library uses it.
  process.send = (message: Asked) => {
    const { channel, type, promiseId, keyPrefix = message.opts?.keyPrefix } = message;
    const data = new RateLimiterRes(4, 9000, 1, true);
    const answer = { channel, keyPrefix, ...(type === 'init' ? { type } : { promiseId, type: 'resolve', data }) };
    if (type === 'init' || !silent) setImmediate(() => process.emit('message', answer, undefined as never));
    return true;
  };
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => log.push((JSON.parse(line) as { msg: string }).msg) });
  const count = workersRateLimits(logger).counterOf({ name: 'credential', requests: 5, windowSeconds: 10 });

  for (const outcome of await Promise.allSettled([count('a'), count('a')]))
    expect(outcome).toMatchObject({ reason: expect.any(RateLimitsUnavailableError) as unknown });

  silent = false;
  expect(await count('a')).toMatchObject({ accepted: true, remaining: 4 });
  expect(log).toEqual([
    'the primary process does not count requests: they are answered 503',
    'the primary process counts requests again',
  ]);
}, 20_000);
