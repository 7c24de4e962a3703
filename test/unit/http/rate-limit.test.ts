import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { NextFunction, Request, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../../src/errors.js';
import { rateLimit } from '../../../src/http/rate-limit.js';

function limiter(failedAuthentications: number) {
  const limit = rateLimit({ requests: 600, failedAuthentications, windowSeconds: 60 });
  return async (remoteAddress: string | undefined): Promise<boolean> => {
    let refused = false;
    const next: NextFunction = (error?: unknown) => (refused = error instanceof Refusal);
    await limit({ socket: { remoteAddress } } as Request, { setHeader: () => undefined } as unknown as Response, next);
    return !refused;
  };
}

describe('failed authentications are counted by the network that a client can choose its address from', () => {
  test.each([
    ['one IPv4 address', '192.0.2.1', '192.0.2.1', false],
    ['two IPv4 addresses', '192.0.2.1', '192.0.2.2', true],
    ['an IPv4 address and its IPv6 form', '192.0.2.1', '::ffff:192.0.2.1', false],
    ['two IPv6 addresses of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', false],
    ['two IPv6 addresses of two /64', '2001:db8:1:2::1', '2001:db8:1:3::1', true],
    ['two /64 whose numbers are the same side by side', '2001:db8:1:c::1', '2001:db8:b:2::1', true],
    ['a zone and no zone', 'fe80::1%eth0', 'fe80::2', false],
    ['no address at all', undefined, undefined, false],
    ['what is no address', 'nonsense', 'nonsense', false],
  ])('%s', async (_name, first, second, apart) => {
    const accepts = limiter(1);
    expect(await accepts(first)).toBe(true);
    expect(await accepts(second)).toBe(apart);
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

test('a limit that cannot be counted is an error, not a request too many', async () => {
  const fault = new Error('out of order');
  jest.spyOn(RateLimiterMemory.prototype, 'consume').mockRejectedValue(fault);
  await expect(limiter(1)('192.0.2.1')).rejects.toBe(fault);
});
