import { afterEach, expect, jest, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { Refusal } from '../../../src/api/errors.ts';
import { rateLimit } from '../../../src/api/steps/rate-limit.ts';
import { memoryRateLimits, maxCallers, type RateLimitCount } from '../../../src/rate-limits/rate-limit-store.ts';

const operation = { security: [['apiKey']] };

/** Sends a request through the step; gives the request, and the refusal that it got. */
function limiter({ trustedProxies = [] as string[], otherRequests = 600 } = {}, store = memoryRateLimits) {
  const limits = { requests: 600, publicRequests: 600, windowSeconds: 60, failedAuthentications: 1, otherRequests };
  const limit = rateLimit({ rateLimits: limits, trustedProxies }, store);
  return async (remoteAddress: string | undefined, more: object = {}) => {
    let refusal: unknown;
    const request = { socket: { remoteAddress }, headers: {}, operation, ...more } as unknown as Request;
    const response = { setHeader: () => undefined } as unknown as Response;
    await limit(request, response, (error?: unknown) => (refusal = error));
    return { request, status: refusal instanceof Refusal ? refusal.status : 200 };
  };
}

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
])('failed authentications are counted by the network of a client: %s', async (_name, first, second, apart) => {
  const send = limiter();
  expect((await send(first)).status).toBe(200);
  expect((await send(second)).status === 200).toBe(apart);
});

test.each([
  ['nobody is trusted', [], '10.0.0.1', '192.0.2.1', '192.0.2.2', false],
  ['the peer is a stranger', ['10.0.0.0/8'], '203.0.113.9', '192.0.2.1', '192.0.2.2', false],
  ['the peer is a proxy', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.1', '192.0.2.2', true],
  ['the peer is a proxy, in its IPv6 form', ['10.0.0.0/8'], '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.2', true],
  ['the client writes a line of its own', ['10.0.0.1'], '10.0.0.1', '1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1', false],
  ['it came over two proxies', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.2, 10.0.0.2', true],
  ['the second proxy is not trusted', ['10.0.0.1'], '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.2, 10.0.0.2', false],
  ['it names ports, too', ['10.0.0.1'], '10.0.0.1', '192.0.2.1:443', '192.0.2.2:443', true],
  ['it names two ports of one client', ['10.0.0.1'], '10.0.0.1', '192.0.2.1:443', '192.0.2.1', false],
  ['it names IPv6 addresses with ports', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '[2001:db8:1::1]:1', true],
  ['it names two ports of an IPv6 client', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1', false],
  ['a proxy has a port', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, 10.0.0.2:1', '192.0.2.2, 10.0.0.2:1', true],
  ['it holds no address', ['10.0.0.1'], '10.0.0.1', 'nonsense', 'more nonsense', false],
  ['it is absent', ['10.0.0.1'], '10.0.0.1', undefined, undefined, false],
])(
  'X-Forwarded-For counts if those who wrote it are trusted: %s',
  async (_name, trusted, peer, first, second, apart) => {
    const send = limiter({ trustedProxies: trusted });
    const forwarded = (by?: string) => send(peer, { headers: { 'x-forwarded-for': by } });
    expect((await forwarded(first)).status).toBe(200);
    expect((await forwarded(second)).status === 200).toBe(apart);
  },
);

test('requests outside operations are counted by address, and apart from failed authentications', async () => {
  const send = limiter({ otherRequests: 2 });
  const statuses: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
    statuses.push((await send(address, { operation: undefined })).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect((await send('192.0.2.1')).status).toBe(200);
});

afterEach(() => {
  jest.restoreAllMocks();
});

test('a limit that cannot be counted is an error, not a request too many', async () => {
  const fault = new Error('out of order');
  const failing = { ...memoryRateLimits, counterOf: () => () => Promise.reject(fault) };
  await expect(limiter({}, failing)('192.0.2.1')).rejects.toBe(fault);
});

test('of more callers than there is room for, the one whose window began first is counted anew', () => {
  const count = memoryRateLimits.counterOf({ name: 'credential', requests: 10, windowSeconds: 60 });
  const left = (key: string) => (count(key) as { remaining: number }).remaining;
  expect([left('first'), left('second'), left('first')]).toEqual([9, 9, 8]);
  for (let other = 2; other <= maxCallers; other += 1) void count(`caller ${other}`);
  expect([left('second'), left('first')]).toEqual([8, 9]);
});

test('a window lasts as long as it is said to, whatever fraction of a millisecond the clock shows', () => {
  const count = memoryRateLimits.counterOf({ name: 'credential', requests: 10, windowSeconds: 10 });
  const clock = jest.spyOn(performance, 'now');
  const began = Array.from({ length: 100 }, (_, place) => 1000 * place + 0.7 / (place + 1));
  const said = began.map((now, place) => {
    clock.mockReturnValue(now);
    return (count(`caller ${place}`) as RateLimitCount).resetSeconds;
  });
  expect(new Set(said)).toEqual(new Set([10]));
});

test('when the clock is set back, nobody is told to wait longer than a window', async () => {
  const send = limiter();
  await send('192.0.2.1');
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  expect((await send('192.0.2.1')).request.rateLimit).toEqual({
    'RateLimit-Policy': '"failed-authentication";q=1;w=60',
    RateLimit: '"failed-authentication";r=0;t=60',
    'Retry-After': 60,
  });
});
