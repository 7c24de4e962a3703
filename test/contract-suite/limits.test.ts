import { describe, expect, test } from '@jest/globals';
import type http from 'node:http';
import type { SecurityScheme } from '../../contract/document/model.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { worldOf } from '../../contract/oracle/world.ts';
import { allChecks } from '../../contract/run/run.ts';
import { createHttpClient } from '../../contract/run/http-client.ts';
import { chooseAddress, chooseCredentials, ownAddresses } from '../../contract/run/senders.ts';
import { limitFrom, Pacing, pacingOf, watchedLimits } from '../../contract/run/limits.ts';
import { phasesOf } from '../../contract/run/run-checks.ts';
import type { Check, Credentials, RequestSpec } from '../../contract/run/model.ts';
import { freePort } from '../../scripts/free-port.ts';
import { checkOf, eachRun } from '../support/contract.ts';
import { json, respondWith } from '../support/misbehaving-servers.ts';

const run = eachRun();
const path = '/organisations/features/verification';
const addressesFor = (...urls: string[]) => ownAddresses(urls, createHttpClient(3));
const request = (...headers: [string, string][]): RequestSpec => ({ method: 'GET', path, headers });
const withLimit = (ratelimit: string, status = 200) => ({ status, headers: { ratelimit }, text: '' });
const stating = (left: number, seconds = 60, status?: number) =>
  withLimit(`"credential";r=${left};t=${seconds}`, status);
const pacing = (left: Record<string, number>) => {
  const paced = new Pacing(() => undefined);
  for (const [limit, requests] of Object.entries(left)) paced.afterResponse(limit, stating(requests));
  return paced;
};

describe('the limit that a request counts against', () => {
  const at = { base_url: '', case_base_url: '' };
  const known = worldOf(ownDocument, { ...at, owner_key: 'owner', revoked_key: 'revoked', access_token: 'token' });

  // Which secret a server reads of a request is for the oracle to say, and tested there.
  test.each<[string, RequestSpec, string]>([
    ['a valid key', request(['X-API-Key', 'owner']), 'owner'],
    ['a valid token', { ...request(['Authorization', 'bearer token']), path: '/cases/1' }, 'token'],
    ['a revoked key', request(['x-api-key', 'revoked']), 'address 127.0.0.2'],
    ['an unknown key', request(['x-api-key', 'x']), 'address 127.0.0.2'],
    ['no credential', request(), 'address 127.0.0.2'],
    ['an unknown path', { ...request(['x-api-key', 'owner']), path: '/unknown' }, 'public address 127.0.0.2'],
  ])('%s', (_name, sent, limit) => {
    expect(limitFrom('127.0.0.2', sent, known)).toBe(limit);
  });

  test('is that of a credential of another API, or of its other tenant', () => {
    const Shop: SecurityScheme = { type: 'http', scheme: 'basic', description: '' };
    const operations = ownDocument.operations.map((operation) => ({ ...operation, security: [['Shop']] }));
    const document = { ...ownDocument, title: 'Shop', operations, securitySchemes: { Shop } };
    const world = worldOf(document, {
      ...at,
      'security.Shop': 'shop',
      'other-security.Shop': 'another',
    } as Credentials);
    const limits = ['shop', 'another', 'none'].map((secret) =>
      limitFrom(undefined, request(['Authorization', `Basic ${secret}`]), world),
    );
    expect(limits).toEqual(['shop', 'another', 'address ']);
  });

  test('is that of the first of two credentials that are needed together', () => {
    const sent = request(['Authorization', 'Bearer token'], ['x-api-key', 'owner']);
    const operations = ownDocument.operations.map((each) => ({ ...each, security: [['apiKey', 'accessToken']] }));
    expect(limitFrom(undefined, sent, { ...known, document: { ...ownDocument, operations } })).toBe('owner');
  });
});

test.each<[left: Record<string, number>, key: string, check?: Pick<Check, 'usesUp'>]>([
  [{}, 'a'],
  [{ a: 100 }, 'a'],
  [{ a: 99 }, 'b'],
  [{ a: 99, b: 0 }, 'c'],
  [{ a: 1, b: 3, c: 2 }, 'b'],
  [{ a: 100, b: 3 }, 'b', { usesUp: 'owner_key' }],
  [{ a: 100, b: 3 }, 'a', { usesUp: 'viewer_key' }],
])('a check uses the first key whose limit is not near, or that with most left, or uses up the least: %j', (...row) => {
  const [left, key, check = {}] = row;
  const credentials = { base_url: '', case_base_url: '', owner_key: 'a', spares: { owner_key: ['b', 'c'] } };
  expect(chooseCredentials(credentials, check, pacing(left)).owner_key).toBe(key);
});

test('the address that a check sends from is another once failed authentications are near their limit', () => {
  const addresses = [undefined, '127.0.0.2'];
  expect(chooseAddress(addresses, {}, pacing({ 'address ': 50 }))).toBeUndefined();
  expect(chooseAddress(addresses, {}, pacing({ 'address ': 49 }))).toBe('127.0.0.2');
  expect(chooseAddress(addresses, {}, pacing({ 'public address ': 49 }))).toBe('127.0.0.2');
  expect(chooseAddress(addresses, { usesUp: 'address' }, pacing({ 'address ': 49 }))).toBeUndefined();
});

test('the address that a check sends from is one of this machine, if the target is on it', async () => {
  const url = await run.serve(respondWith(200, json, '{}'));
  const found = await addressesFor(url);
  expect(found.slice(0, 2)).toEqual(process.platform === 'linux' ? [undefined, '127.0.0.2'] : [undefined]);
  expect(await addressesFor(url, 'http://api.example')).toEqual([undefined]);
  expect(await addressesFor(`http://127.0.0.1:${await freePort()}`)).toEqual([undefined]);
});

const counting = (key: (request: http.IncomingMessage) => string): http.RequestListener => {
  const sent = new Map<string, number>();
  return (request, response) => {
    const count = (sent.get(key(request)) ?? 0) + 1;
    sent.set(key(request), count);
    respondWith(401, { ...json, RateLimit: `"x";r=${Math.max(0, 5 - count)};t=60` }, '{}')(request, response);
  };
};

test.each<[string, number, (request: http.IncomingMessage) => string]>([
  ['are one if a limit is shared by all', 1, () => ''],
  ['are many if each has its own', 61, (request) => request.socket.remoteAddress ?? ''],
])('the addresses of this machine: %s, also when it is used up', async (_name, found, key) => {
  if (process.platform !== 'linux') return;
  const url = await run.serve(counting(key));
  for (let runs = 0; runs < 3; runs += 1) expect(await addressesFor(url)).toHaveLength(found);
});

test('a limit that is renewed while it is asked for is used up again', async () => {
  let [left, refusals] = [0, 0];
  const call = ({ method, headers = [] }: RequestSpec) => {
    const isOwner = headers.some(([, value]) => value === 'owner_key');
    const isRefused = isOwner && left === 0 && method === 'PUT';
    const enabled = '{"enabled":false}';
    if (isRefused) refusals += 1;
    else if (method === 'PUT') left -= 1;
    const response = {
      status: isRefused ? 429 : 200,
      headers: { ratelimit: `"credential";r=${left};t=1` },
      text: isRefused ? '{"error_code":"x","error_message":"y"}' : enabled,
    };
    // The window ends after some refusals.
    if (isRefused && refusals === 3) left = 20;
    return Promise.resolve(response);
  };
  const update = allChecks(ownDocument, 1).find(({ id }) => id === 'explored.updateVerificationSetting.limit');
  const names = ['owner_key', 'member_key', 'viewer_key'];
  const credentials = { base_url: '', case_base_url: '', ...Object.fromEntries(names.map((name) => [name, name])) };
  const unused = { credentials, operator: undefined, seed: 1 };
  await update?.run({ ...unused, call, credential: (name) => name, tell: () => undefined });
  expect([left, refusals > 20]).toEqual([0, true]);
});

describe('the order of checks', () => {
  const checks = [
    checkOf('removes', { removes: '/things/{id}' }),
    checkOf('removes-its-part', { removes: '/things/{id}/part' }),
    checkOf('exhausts-member', { usesUp: 'member_key', needs: ['member_key'] }),
    checkOf('reads', { readsOnly: true }),
    checkOf('exhausts-owner', { usesUp: 'owner_key', needs: ['owner_key', 'member_key'] }),
    checkOf('changes'),
    checkOf('exhausts-member-too', { usesUp: 'member_key', needs: ['member_key'] }),
  ];
  const order = (first?: (each: Check) => boolean) =>
    phasesOf(checks, 4, first).map(({ checks: each, workers }) => [workers, ...each.map(({ id }) => id)]);

  test('reads at once, removes after that, parts first, and uses up limits last, what others need at the very end', () => {
    expect(order()).toEqual([
      [1, 'changes'],
      [4, 'reads'],
      [1, 'removes-its-part', 'removes', 'exhausts-owner', 'exhausts-member', 'exhausts-member-too'],
    ]);
  });

  test('sends what fails to authenticate after the others if it is few, the variants last, as a seed decides', () => {
    const failing = [
      ...Array.from({ length: 9 }, (_none, index) => checkOf(`variant-${index}`, { failsToAuthenticate: 'variants' })),
      checkOf('essential', { failsToAuthenticate: 'once', readsOnly: true }),
    ];
    const ids = (seed?: number) =>
      phasesOf([...failing, ...checks], 4, undefined, seed).flatMap(({ checks: each }) => each.map(({ id }) => id));
    expect(ids(1).slice(0, 5)).toEqual(['changes', 'reads', 'removes-its-part', 'removes', 'essential']);
    expect(ids(1).slice(5, 14).sort()).toEqual(failing.slice(0, 9).map(({ id }) => id));
    expect(ids(1)).toEqual(ids(1));
    expect(ids(1)).not.toEqual(ids(2));
    expect(ids()[0]).toBe('variant-0');
  });

  test('can begin with chosen ones', () => {
    expect(order(({ id }) => id === 'exhausts-owner')[0]).toEqual([1, 'exhausts-owner', 'changes']);
  });
});

describe('pacing', () => {
  test('tells once of requests that wait at the same time, from whichever address', async () => {
    const notices: string[] = [];
    const paced = pacingOf({ base_url: '', case_base_url: '' }, { onNotice: (notice) => void notices.push(notice) });
    for (const limit of ['address 127.0.0.2', 'address 127.0.0.3'])
      await expect(paced.wait(limit, 60, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(notices).toEqual(["waiting 60 s for the target's rate limit of failed authentications"]);
  });

  test('knows of each limit for itself how long nothing is left of it', () => {
    const paced = pacing({ key: 1 });
    expect(paced.secondsUsedUp('key')).toBe(0);
    paced.afterResponse('key', stating(0));
    expect([paced.secondsUsedUp('key'), paced.secondsUsedUp('address')]).toEqual([60, 0]);
    expect([paced.leftOf('key'), paced.leftOf('address')]).toEqual([0, Infinity]);
  });

  test('takes what is in flight for spent', () => {
    const paced = pacing({ key: 9 });
    paced.onSending('key');
    expect(paced.leftOf('key')).toBe(8);
    paced.afterResponse('key', undefined);
    expect(paced.leftOf('key')).toBe(9);
  });

  test.each(['', 'garbage', '"x";r=-1;t=5', 'r=0;t=60'])('does not wait for a header such as "%s"', (header) => {
    const paced = pacing({});
    paced.afterResponse('key', withLimit(header));
    expect(paced.secondsUsedUp('key')).toBe(0);
  });

  test('spaces requests evenly where a rate is given, and counts those that are sent in the same bytes', async () => {
    const none = () => undefined;
    const [paced, free] = [new Pacing(none, 20), new Pacing(none)];
    const startedAt = performance.now();
    await Promise.all([paced.spaceOut(1), paced.spaceOut(3), paced.spaceOut(1)]);
    // A timer counts whole milliseconds from the loop's last tick: it may fire up to two milliseconds early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(198);
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(paced.spaceOut(1, stopped)).rejects.toThrow('stopped');
    await free.spaceOut(10_000, stopped);
  });
});

describe('the watched limit', () => {
  /** Sends requests at these times, in milliseconds, which state this; each has its response before the next is sent. */
  function messagesOf(...sent: readonly [at: number, left: number, seconds: number, status?: number][]): string[] {
    const sending = watchedLimits();
    return sent.flatMap(([at, left, seconds, status = 200]) => {
      const violations = sending('a key', () => at)(stating(left, seconds, status));
      return violations.map(({ message }) => message);
    });
  }

  test.each<[string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['falls by one', [0, 9, 10], [1000, 8, 9], [8000, 7, 2]],
    ['falls by more, as somebody else uses it', [0, 9, 10], [1000, 3, 9]],
    ['is renewed', [0, 9, 10], [10_500, 9, 10]],
    ['may be renewed', [0, 9, 10], [9500, 9, 10]],
    ['is used up', [0, 0, 10], [1000, 0, 9, 429]],
    ['is lost with a server that fails', [0, 5, 10], [1000, 5, 9, 500], [2000, 9, 10]],
  ])('conforms if it %s', (_name, ...sent) => {
    expect(messagesOf(...sent)).toEqual([]);
  });

  const laterEnd = 'expected RateLimit with the end of the window that earlier responses state, got t=10';
  test.each<[string, string, ...[at: number, left: number, seconds: number, status?: number][]]>([
    ['does not fall', 'expected RateLimit with less than r=9, got 200 with r=9', [0, 9, 10], [1000, 9, 9]],
    ['rises', 'expected RateLimit with less than r=7, got 404 with r=8', [0, 7, 10], [1000, 8, 9, 404]],
    ['is used up for nobody', 'expected 429, got 200 with r=0', [0, 0, 10], [1000, 0, 9]],
    ['ends later and later', laterEnd, [0, 9, 10], [5000, 8, 10]],
  ])('is violated if it %s', (_name, message, ...sent) => {
    expect(messagesOf(...sent)).toEqual([message]);
  });

  const whole = 'expected a whole quota before the first request, so at least r=89 and t=9, got';
  test.each<[string, at: number, left: number, seconds: number, expected: string[]]>([
    ['is whole', 12_000, 99, 10, []],
    ['may have begun before the run', 9000, 49, 3, []],
    ['lacks a part of the quota', 12_000, 49, 10, [`${whole} r=49 and t=10`]],
    ['has begun long ago', 12_000, 99, 5, [`${whole} r=99 and t=5`]],
  ])('the first window of a dedicated limit %s', (_name, at, left, seconds, expected) => {
    const response = stating(left, seconds);
    const stated = { ...response, headers: { ...response.headers, 'ratelimit-policy': '"credential";q=100;w=10' } };
    const violations = watchedLimits(new Set(['a spare']), 0)('a spare', () => at)(stated);
    expect(violations.map(({ message }) => message)).toEqual(expected);
  });

  test('says nothing of requests that are in flight together, or count against no known limit', () => {
    const sending = watchedLimits();
    const [first, second] = [sending('a key', () => 0), sending('a key', () => 0)];
    expect([...second(stating(8, 10)), ...first(stating(9, 10))]).toEqual([]);
    expect(sending(undefined)(stating(8, 10))).toEqual([]);
  });
});
