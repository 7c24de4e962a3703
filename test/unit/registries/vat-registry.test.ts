import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Registry } from '../../../src/analysis/registries/registry.ts';
import { vatRegistry, vatRegistryPace } from '../../../src/analysis/registries/vat-registry.ts';
import {
  hangUp,
  type Misbehaviour,
  reasonOf,
  registration,
  responding,
  silent,
  startVatRegistry,
  vatCredentials,
  vatError,
  vatPath,
  type VatRegistryServer,
} from '../../support/companies-house.ts';

/** The same policies as in earnest, in less time. */
const quick: typeof vatRegistryPace = {
  ...vatRegistryPace,
  totalMilliseconds: 20_000,
  firstBackoffMilliseconds: 1,
  requestsOfWindow: 1000,
};

let server: VatRegistryServer;
let log: string[];
beforeEach(async () => {
  server = await startVatRegistry();
  log = [];
});
afterEach(() => server.close());

function open(pace: Partial<typeof quick> = {}, credentials = vatCredentials): Registry {
  const logger = pino({ base: null, level: 'trace' }, { write: (line: string) => log.push(line) });
  return vatRegistry({ url: server.url, ...credentials }, logger, { ...quick, ...pace });
}

const find = (registry: Registry, value = 'GB123456782', signal?: AbortSignal) =>
  registry.find('uk-vat-number', value, signal);
const acme = { value: 'GB123456782', name: 'ACME WIDGETS LIMITED', status: '' };
const lookup = vatPath('123456782');

describe('asking the VAT register', () => {
  test('requests a token with the credentials in the body, and sends it with the number without its country', async () => {
    expect(await find(open())).toEqual(acme);
    const [token, asked] = server.requests;
    expect(token).toMatchObject({ method: 'POST', path: '/oauth/token', authorization: undefined });
    expect(token?.form).toEqual({
      grant_type: 'client_credentials',
      client_id: vatCredentials.clientId,
      client_secret: vatCredentials.clientSecret,
      scope: 'read:vat',
    });
    expect(asked).toMatchObject({ method: 'GET', path: lookup, accept: 'application/vnd.hmrc.2.0+json' });
    expect(asked?.authorization).toMatch(/^Bearer token-1-/);
  });

  test('gives a number of twelve digits, and nothing for one that is not registered', async () => {
    const registry = open();
    expect(await find(registry, 'GB146295999727')).toMatchObject({ value: 'GB146295999727', name: 'A BRANCH LIMITED' });
    expect(await find(registry, 'GB553557817')).toBeUndefined();
  });

  test('asks everything with one token, also what is asked at the same moment', async () => {
    const registry = open();
    await Promise.all(Array.from({ length: 4 }, () => find(registry)));
    await find(registry);
    expect([server.count('/oauth/token'), server.count(lookup)]).toEqual([1, 5]);
  });

  test('requests another token shortly before the first one expires', async () => {
    server.lifetimeSeconds = 1;
    const registry = open();
    await find(registry);
    expect(server.count('/oauth/token')).toBe(1);
    await sleep(600);
    await find(registry);
    expect(server.count('/oauth/token')).toBe(2);
  });

  test('replaces a token that the API refuses, once', async () => {
    const registry = open();
    await find(registry);
    server.revokeTokens();
    expect(await find(registry)).toEqual(acme);
    expect([server.count('/oauth/token'), server.count(lookup)]).toEqual([2, 3]);
    expect(await find(registry)).toEqual(acme);
    expect(server.count('/oauth/token')).toBe(2);
  });

  test('whoever gives up does not take the token from the others', async () => {
    let respond = (): void => undefined;
    server.token = (response) => {
      respond = () => {
        server.token = undefined;
        response.destroy();
      };
    };
    const registry = open();
    const giveUp = new AbortController();
    const first = find(registry, 'GB123456782', giveUp.signal);
    const second = find(registry);
    while (server.requests.length === 0) await sleep(5);
    giveUp.abort(new Error('the analysis was ended'));
    await expect(first).rejects.toThrow('the analysis was ended');
    respond();
    expect(await second).toEqual(acme);
  });

  test.each<[string, Misbehaviour[]]>([
    [
      'errors of the server',
      [
        vatError(500, 'INTERNAL_SERVER_ERROR'),
        vatError(503, 'SCHEDULED_MAINTENANCE', { 'Retry-After': '0' }),
        responding(504, '<html>'),
      ],
    ],
    ['closed connections', [hangUp, hangUp]],
    ['a limit that lasts a moment', [vatError(429, 'MESSAGE_THROTTLED_OUT', { 'Retry-After': '0' })]],
    ['a limit that tells no time', [vatError(429, 'MESSAGE_THROTTLED_OUT')]],
  ])('asks again after %s', async (_, misbehaviour) => {
    server.next = [...misbehaviour];
    expect(await find(open())).toEqual(acme);
    expect(server.count(lookup)).toBe(misbehaviour.length + 1);
  });
});

describe('what the VAT register fails to tell', () => {
  test.each<[string, Misbehaviour, RegExp]>([
    ['a number that it calls invalid', vatError(400, 'INVALID_REQUEST'), /status 400/],
    ['no subscription', vatError(403, 'RESOURCE_FORBIDDEN'), /status 403\): the application is not subscribed/],
    ['a scope too small', vatError(403, 'INVALID_SCOPE'), /the scope of the access token is not sufficient/],
    ['a page of a firewall', responding(403, '<html>Forbidden</html>'), /it responded with status 403/],
    ['another code with 403', vatError(403, 'toString'), /it responded with status 403/],
    ['no such endpoint', vatError(404, 'MATCHING_RESOURCE_NOT_FOUND'), /status 404, but not in the format/],
    ['a page that is not there', responding(404, '<html>No such page</html>'), /status 404, but not in the format/],
    ['another version', vatError(406, 'ACCEPT_HEADER_INVALID'), /status 406/],
    ['a redirect', responding(302, '', { Location: 'http://127.0.0.1:1/' }), /status 302/],
    ['a page', responding(200, '<!DOCTYPE html><html>Sorry</html>'), /not JSON/],
    ['another form', responding(200, { name: 'ACME', vatNumber: '123456782' }), /not the requested number/],
    ['a company without a name', registration('123456782', ''), /not the requested number/],
    ['another number', registration('553557881', 'OTHER LTD'), /not the requested number/],
    ['a huge response', responding(200, `"${'A'.repeat(300_000)}"`), /larger than 256 KiB/],
  ])('is unavailable at once for %s', async (_, misbehave, reason) => {
    server.always = misbehave;
    expect(await reasonOf(find(open()))).toMatch(reason);
    expect(server.count(lookup)).toBe(1);
  });

  test('is unavailable if it refuses the new token too', async () => {
    server.always = vatError(401, 'INVALID_CREDENTIALS');
    expect(await reasonOf(find(open()))).toBe('the register is unavailable: it refuses the access token (status 401)');
    expect([server.count('/oauth/token'), server.count(lookup)]).toEqual([2, 2]);
  });

  test('is unavailable at once for wrong credentials, and told what to check', async () => {
    const registry = open({}, { ...vatCredentials, clientSecret: 'another' });
    expect(await reasonOf(find(registry))).toBe('the register is unavailable: it gives no access token (status 401)');
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, Misbehaviour, RegExp]>([
    ['a page', responding(200, '<html>'), /not JSON/],
    [
      'no lifetime',
      responding(200, { access_token: 'a', token_type: 'bearer' }),
      /not an access token in the published format/,
    ],
    [
      'a token that is over',
      responding(200, { access_token: 'a', token_type: 'bearer', expires_in: 0 }),
      /not an access/,
    ],
    [
      'a token with a line break',
      responding(200, { access_token: 'a\r\nHost: b', token_type: 'bearer', expires_in: 9 }),
      /not an access token/,
    ],
    [
      'another kind of token',
      responding(200, { access_token: 'a', token_type: 'mac', expires_in: 9 }),
      /not an access/,
    ],
  ])('is unavailable at once if the token request gets %s', async (_, misbehave, reason) => {
    server.token = misbehave;
    expect(await reasonOf(find(open()))).toMatch(reason);
    expect(server.requests).toHaveLength(1);
  });

  test('is unavailable after four attempts', async () => {
    server.always = vatError(500, 'INTERNAL_SERVER_ERROR');
    expect(await reasonOf(find(open()))).toBe('the register is unavailable: it responded with status 500');
    expect(server.count(lookup)).toBe(4);
  });

  test.each<[string, 'always' | 'token']>([
    ['look-up', 'always'],
    ['token request', 'token'],
  ])('is unavailable when a %s hangs', async (_, what) => {
    server[what] = silent;
    const registry = open({ attemptMilliseconds: 100, attempts: 2 });
    expect(await reasonOf(find(registry))).toMatch(/did not respond in time/);
  });

  test('keeps a pause that a question did not wait for to its end', async () => {
    const registry = open({ totalMilliseconds: 10_000 });
    await find(registry);
    let limitedAt = Infinity;
    server.always = (response) => {
      limitedAt = performance.now();
      vatError(429, 'MESSAGE_THROTTLED_OUT', { 'Retry-After': '1' })(response);
    };
    await expect(find(registry, 'GB123456782', AbortSignal.timeout(300))).rejects.toThrow();
    server.always = undefined;
    expect(await find(registry)).toEqual(acme);
    expect(performance.now() - limitedAt).toBeGreaterThan(990);
    expect(server.count(lookup)).toBe(3);
  });

  test('gets no requests for a while when it limits without end', async () => {
    server.always = vatError(429, 'MESSAGE_THROTTLED_OUT', { 'Retry-After': '0' });
    const registry = open({ pauseMilliseconds: 500 });
    expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
    expect(server.count(lookup)).toBe(4);
    expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
    expect(server.count(lookup)).toBe(4);
    server.always = undefined;
    await sleep(600);
    expect(await find(registry)).toEqual(acme);
  });
});

test('keeps within three requests in a second, with those for tokens', async () => {
  const { requestsOfWindow, windowSeconds } = vatRegistryPace;
  expect((Math.ceil(1 / windowSeconds) + 1) * requestsOfWindow).toBeLessThanOrEqual(3);
  const registry = open({ requestsOfWindow, windowSeconds });
  const started = performance.now();
  await Promise.all([find(registry), find(registry)]);
  expect(server.requests).toHaveLength(3);
  expect(performance.now() - started).toBeGreaterThan(2 * windowSeconds * 1000 - 50);
});

test('neither the secret nor a token stands in an error or a line of the log', async () => {
  const told: string[] = [];
  const token = 'token-9-QGbWG8KckncuwwD4uYXgWxF4HQvuPmrm';
  const misbehaviours = [vatError(401, token), responding(500, vatCredentials.clientSecret), hangUp, silent];
  for (const misbehave of misbehaviours)
    for (const what of ['always', 'token'] as const) {
      server.always = server.token = undefined;
      server[what] = misbehave;
      const asked = find(open({ failuresUntilPause: 1, attemptMilliseconds: 200 }));
      await asked.catch((error: unknown) => told.push(inspect(error, { depth: 9 })));
    }
  expect(told.length).toBe(8);
  for (const text of [...told, ...log]) {
    expect(text).not.toContain(vatCredentials.clientSecret);
    expect(text).not.toContain('QGbWG8Kckncu');
  }
});
