/** Keys come and go at the provider, and the provider itself becomes unavailable. Time is the test's. */
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type IssuerKey, makeKey, published, signToken } from '../support/issuer.ts';
import { type ProviderHarness, startProviderHarness } from '../support/provider-harness.ts';
import { addAccessToken } from '../support/tenants.ts';

const [first, second] = [makeKey('RS256'), makeKey('RS256')];
let server: ProviderHarness;
let elapsedMilliseconds = 0;

beforeEach(async () => {
  jest.spyOn(performance, 'now').mockImplementation(() => elapsedMilliseconds);
  server = await startProviderHarness({ keys: [first] });
});

afterEach(() => {
  jest.restoreAllMocks();
});

const setClock = (seconds: number) => (server.clock = new Date(server.clock.getTime() + seconds * 1000));
const wait = (seconds: number) => {
  elapsedMilliseconds += seconds * 1000;
  setClock(seconds);
};
const statusOf = async (key = first) => (await server.call(signToken(server.claims(), key))).status;
const fetches = () => server.issuer.fetches;

describe('keys', () => {
  test('are fetched when the first token comes, once for many that come at the same time, and kept', async () => {
    expect(fetches()).toBe(0);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf()));
    expect([new Set([...statuses, await statusOf()]), fetches()]).toEqual([new Set([200]), 1]);
  });

  test('that are new are accepted with the first token that they sign', async () => {
    await statusOf();
    server.issuer.keys.push(published(second));
    wait(5);
    expect([await statusOf(second), await statusOf(first), fetches()]).toEqual([200, 200, 2]);
  });

  test('that are unknown do not make the server ask more than once in five seconds', async () => {
    await statusOf();
    for (let index = 0; index < 10; index += 1) expect(await statusOf(makeKey('ES256'))).toBe(401);
    expect(fetches()).toBe(1);
    wait(5);
    for (let index = 0; index < 10; index += 1) expect(await statusOf(second)).toBe(401);
    expect(fetches()).toBe(2);
  });

  test.each([0, -86_400, -300])(
    'that are removed are refused after ten minutes, also if the clock was set by %d s',
    async (jump) => {
      await statusOf();
      server.issuer.keys = [published(second)];
      wait(400);
      setClock(jump);
      wait(199);
      expect(await statusOf(first)).toBe(200);
      wait(1);
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    },
  );

  test('of one name and two algorithms are told apart', async () => {
    const [rsa, elliptic] = [makeKey('RS256', 'same'), makeKey('ES256', 'same')];
    const both = await startProviderHarness({ keys: [rsa, elliptic], provider: { algorithms: ['RS256', 'ES256'] } });
    for (const key of [rsa, elliptic]) expect((await both.call(signToken(both.claims(), key))).status).toBe(200);
  });

  test.each<[string, () => IssuerKey, JsonWebKey]>([
    ['too weak', () => ({ ...makeKey('RS256'), ...generateKeyPairSync('rsa', { modulusLength: 512 }) }), {}],
    ['of an empty modulus', () => makeKey('RS256'), { n: '' }],
    ['of a broken modulus', () => makeKey('RS256'), { n: '!' }],
    ['of a point that is not on the curve', () => makeKey('ES256'), { x: Buffer.alloc(32, 1).toString('base64url') }],
  ])('that are %s make their tokens 401 alone', async (_name, make, change) => {
    const broken = make();
    const other = await startProviderHarness({ keys: [first], provider: { algorithms: ['RS256', 'ES256'] } });
    other.issuer.keys.push({ ...published(broken), ...change });
    expect((await other.call(signToken(other.claims(), broken))).status).toBe(401);
    expect((await other.call(signToken(other.claims(), first))).status).toBe(200);
  });

  test('that fit a token without a key name are used if there is but one', async () => {
    const unnamed = () => server.call(signToken(server.claims(), first, { kid: undefined }));
    expect((await unnamed()).status).toBe(200);
    server.issuer.keys.push(published(second));
    wait(600);
    expect((await unnamed()).status).toBe(401);
  });
});

describe('while the provider is unavailable', () => {
  const faults: Record<string, ProviderHarness['issuer']['fault']> = {
    'responds with 500': { status: 500, body: '{}' },
    'leads elsewhere': { status: 302, body: '' },
    'responds with no JSON': { status: 200, body: '<html>' },
    'responds with no key set': { status: 200, body: '{"keys":{}}' },
    'does not respond': 'silent',
  };

  test.each(Object.entries(faults))('and %s, a token gets 503, and 200 when it is back', async (_name, fault) => {
    server.issuer.fault = fault;
    const { status, headers, body } = await server.callWith();
    expect([status, body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
    expect(headers).toMatchObject({ 'retry-after': '5' });
    server.issuer.fault = undefined;
    wait(5);
    expect(await statusOf()).toBe(200);
  });

  test('and its address is closed, a token gets 503', async () => {
    await server.issuer.close();
    expect(await statusOf()).toBe(503);
    server.issuer.close = () => Promise.resolve();
  });

  test('the tokens of the operator are accepted, and what is no access token of the provider is 401 as ever', async () => {
    server.issuer.fault = 'silent';
    const ofOperator = await addAccessToken(server.api.store, server.organisationId);
    for (const [token, status] of Object.entries({ [ofOperator]: 200, nonsense: 401, 'a.b.c': 401 }))
      expect((await server.call(token)).status).toBe(status);
  });

  test('the known keys work for an hour, and no longer, also if the clock was set forward', async () => {
    await statusOf();
    server.issuer.fault = { status: 500, body: '' };
    setClock(7200);
    wait(3599);
    expect(await statusOf()).toBe(200);
    wait(5);
    expect(await statusOf()).toBe(503);
    server.issuer.fault = undefined;
    wait(5);
    expect(await statusOf()).toBe(200);
  });

  test('nobody with a known key waits for it', async () => {
    await statusOf();
    server.issuer.fault = { status: 500, body: '' };
    wait(600);
    await statusOf();
    server.issuer.fault = 'silent';
    wait(5);
    expect([await statusOf(), server.issuer.abandoned]).toEqual([200, 0]);
  });

  test('it is asked at most once in five seconds, and the log tells of the outage once', async () => {
    server.issuer.fault = { status: 500, body: '' };
    for (let index = 0; index < 5; index += 1) expect(await statusOf()).toBe(503);
    wait(5);
    for (let index = 0; index < 5; index += 1) expect(await statusOf()).toBe(503);
    expect(fetches()).toBe(2);
    server.issuer.fault = undefined;
    wait(5);
    await statusOf();
    const told = (text: string) => server.api.log.filter((line) => line.includes(text)).length;
    expect(told('the keys of the identity provider cannot be fetched from http')).toBe(1);
    expect(told('the identity provider is available again')).toBe(1);
  });
});
