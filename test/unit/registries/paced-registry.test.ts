/** The registries behind an API: how each is asked, and how both are paced. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { companiesHouse, companiesHousePace } from '../../../src/analysis/registries/companies-house.ts';
import type { Pace } from '../../../src/analysis/registries/paced-registry.ts';
import type { Registry } from '../../../src/analysis/registries/registry.ts';
import { vatRegistry, vatRegistryPace } from '../../../src/analysis/registries/vat-registry.ts';
import {
  companiesHouseKey,
  hangUp,
  limited,
  type Misbehaviour,
  reasonOf,
  type RegistryServer,
  responding,
  silent,
  startCompaniesHouse,
  registration,
  startVatRegistry,
  vatCredentials,
  vatError,
  vatPath,
  type VatRegistryServer,
} from '../../support/companies-house.ts';

/** The same policies as in production, in less time. */
const quick = { totalMilliseconds: 20_000, firstBackoffMilliseconds: 1, requestsOfWindow: 1000 };

let server: RegistryServer;
let vat: VatRegistryServer;
let log: string[];
beforeEach(async () => {
  [server, vat, log] = [await startCompaniesHouse(), await startVatRegistry(), []];
});
afterEach(() => {
  jest.restoreAllMocks();
});

const logger = pino({ base: null, level: 'trace' }, { write: (line: string) => log.push(line) });
const open = (pace: Partial<Pace> = {}, url = server.url): Registry =>
  companiesHouse({ url, apiKey: companiesHouseKey }, logger, { ...companiesHousePace, ...quick, ...pace });
const openVat = (pace: Partial<Pace> = {}): Registry =>
  vatRegistry({ url: vat.url, ...vatCredentials }, logger, { ...vatRegistryPace, ...quick, ...pace });

const find = (registry: Registry, number = '01234567', signal?: AbortSignal) =>
  registry.find('uk-company-number', number, signal);
const findVat = (registry: Registry, value = 'GB123456782', signal?: AbortSignal) =>
  registry.find('uk-vat-number', value, signal);
const acme = { value: '01234567', name: 'ACME LIMITED', status: 'active' };
const acmeVat = { value: 'GB123456782', name: 'ACME WIDGETS LIMITED', status: '' };
const lookup = vatPath('123456782');
const counts = () => [vat.count('/oauth/token'), vat.count(lookup)];

test("asking the UK register's public API gives the company that has the number, and sends the key as user name without a password", async () => {
  expect(await find(open())).toEqual(acme);
  const authorization = `Basic ${Buffer.from(`${companiesHouseKey}:`).toString('base64')}`;
  expect(server.requests).toMatchObject([{ path: '/company/01234567', authorization }]);
  expect(await find(open(), 'RC000123')).toEqual({ value: 'RC000123', name: 'THE ROYAL SOCIETY', status: '' });
  expect(await find(open(), '99999999')).toBeUndefined();
  // Below its base address, whatever the number is.
  await find(open({}, new URL('proxy', server.url)), '../../x?y').catch(() => undefined);
  expect(server.requests.at(-1)).toMatchObject({ path: '/proxy/company/..%2F..%2Fx%3Fy' });
});

const cut: Misbehaviour = (response) => {
  response.writeHead(200, { 'Content-Length': 99 }).write('{"company');
  setTimeout(() => response.destroy(), 10);
};
test.each<[string, Misbehaviour[], attemptMilliseconds?: number]>([
  ['errors of the server', [responding(500), responding(502, '<html>'), responding(503)]],
  ['closed connections, and a response that is cut off', [hangUp, hangUp, cut]],
  ['a limit that lasts a moment', [limited({ 'Retry-After': '0' }), limited({ 'X-Ratelimit-Reset': '1' })]],
  ['attempts that take too long', [silent, (response) => response.writeHead(200).write('{')], 300],
])("asking the UK register's public API asks again after %s", async (_, misbehaviour, attemptMilliseconds = 5000) => {
  server.next = [...misbehaviour];
  expect(await find(open({ attemptMilliseconds }))).toEqual(acme);
  expect(server.requests).toHaveLength(misbehaviour.length + 1);
});

test('asking the VAT register requests a token with the credentials in the body, and sends it with the number without its country', async () => {
  const registry = openVat();
  expect(await findVat(registry)).toEqual(acmeVat);
  const [token, asked] = vat.requests;
  expect(token).toMatchObject({ method: 'POST', path: '/oauth/token', authorization: undefined });
  expect(token?.form).toEqual({
    grant_type: 'client_credentials',
    client_id: vatCredentials.clientId,
    client_secret: vatCredentials.clientSecret,
    scope: 'read:vat',
  });
  expect(asked).toMatchObject({ method: 'GET', path: lookup, accept: 'application/vnd.hmrc.2.0+json' });
  expect(asked?.authorization).toMatch(/^Bearer token-1-/);
  expect(await findVat(registry, 'GB146295999727')).toMatchObject({ value: 'GB146295999727' });
  expect(await findVat(registry, 'GB553557817')).toBeUndefined();
});

test('asking the VAT register asks everything with one token, also what is asked at the same moment, and replaces one that is refused once', async () => {
  const registry = openVat();
  await Promise.all(Array.from({ length: 4 }, () => findVat(registry)));
  await findVat(registry);
  expect(counts()).toEqual([1, 5]);
  vat.tokens.revoke();
  for (let time = 0; time < 2; time += 1) expect(await findVat(registry)).toEqual(acmeVat);
  expect(counts()).toEqual([2, 8]);
});

test('asking the VAT register requests another token shortly before the first one expires', async () => {
  vat.tokens.lifetimeSeconds = 1;
  const registry = openVat();
  await findVat(registry);
  expect(counts()).toEqual([1, 1]);
  await sleep(600);
  await findVat(registry);
  expect(counts()).toEqual([2, 2]);
});

test('asking the VAT register whoever gives up does not take the token from the others', async () => {
  let respond = (): void => undefined;
  vat.token = (response) => {
    respond = () => {
      vat.token = undefined;
      response.destroy();
    };
  };
  const registry = openVat();
  const giveUp = new AbortController();
  const first = findVat(registry, 'GB123456782', giveUp.signal);
  const second = findVat(registry);
  while (vat.requests.length === 0) await sleep(5);
  giveUp.abort(new Error('the analysis was ended'));
  await expect(first).rejects.toThrow('the analysis was ended');
  respond();
  expect(await second).toEqual(acmeVat);
});

test('asking the VAT register asks again after an error of the server, and a limit that tells no time', async () => {
  vat.next = [vatError(500, 'INTERNAL_SERVER_ERROR'), vatError(429, 'MESSAGE_THROTTLED_OUT')];
  expect(await findVat(openVat())).toEqual(acmeVat);
  expect(vat.count(lookup)).toBe(3);
});

const company = (facts: object) => responding(200, { company_number: '01234567', company_name: 'ACME', ...facts });
const token = (facts: object) => responding(200, { access_token: 'a', token_type: 'bearer', expires_in: 9, ...facts });
const page = (status: number) => responding(status, '<html>A page</html>');
const [another, notFound] = [/status 200, but not in the published/, /status 404, but not in the published/];
const noToken = /gives no access token \(status 200\)/;
type Asked = 'companies' | 'vat' | 'vat, with a new token' | 'token';
test.each<[string, Asked, Misbehaviour, RegExp]>([
  ['a refused key', 'companies', responding(401), /refuses the API key \(status 401\)/],
  ['a forbidden caller', 'companies', responding(403), /refuses the API key \(status 403\)/],
  ['a redirect', 'companies', responding(302, '', { Location: 'http://127.0.0.1:1/' }), /status 302/],
  ['text', 'companies', responding(200, 'Hello'), another],
  ['another form', 'companies', responding(200, { name: 'ACME' }), another],
  ['a name that is none', 'companies', company({ company_name: 7 }), another],
  ['a name that goes on and on', 'companies', company({ company_name: 'A'.repeat(1001) }), another],
  ['another company', 'companies', company({ company_number: '07654321' }), another],
  ['a page that is not there', 'companies', page(404), notFound],
  ['a 404 of another form', 'companies', responding(404, { message: 'no Route matched' }), notFound],
  ['a huge response', 'companies', responding(200, `"${'A'.repeat(300_000)}"`), /larger than 256 KiB/],
  [
    'a huge response that is packed small',
    'companies',
    (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000))),
    /larger than 256 KiB/,
  ],
  ['a number that it calls invalid', 'vat', vatError(400, 'INVALID_REQUEST'), /status 400/],
  ['no subscription', 'vat', vatError(403, 'RESOURCE_FORBIDDEN'), /status 403\): the application is not subscribed/],
  ['a scope too small', 'vat', vatError(403, 'INVALID_SCOPE'), /the scope of the access token is not sufficient/],
  ['a page of a firewall', 'vat', page(403), /it responded with status 403/],
  ['another code with 403', 'vat', vatError(403, 'toString'), /it responded with status 403/],
  ['no such endpoint', 'vat', vatError(404, 'MATCHING_RESOURCE_NOT_FOUND'), notFound],
  ['a page that is not there', 'vat', page(404), notFound],
  ['another version', 'vat', vatError(406, 'ACCEPT_HEADER_INVALID'), /status 406/],
  ['another form', 'vat', responding(200, { name: 'ACME', vatNumber: '123456782' }), another],
  ['a company without a name', 'vat', registration('123456782', ''), another],
  ['another number', 'vat', registration('553557881', 'OTHER LTD'), another],
  [
    'a refused token',
    'vat, with a new token',
    vatError(401, 'INVALID_CREDENTIALS'),
    /: it refuses the access token \(status 401\)$/,
  ],
  [
    'wrong credentials',
    'token',
    responding(401, { error: 'invalid_client' }),
    /: it gives no access token \(status 401\)$/,
  ],
  ['a page in place of a token', 'token', page(200), noToken],
  ['a token without a lifetime', 'token', token({ expires_in: undefined }), noToken],
  ['a token that is over', 'token', token({ expires_in: 0 }), noToken],
  ['a token with a line break', 'token', token({ access_token: 'a\r\nHost: b' }), noToken],
  ['another kind of token', 'token', token({ token_type: 'mac' }), noToken],
])('a register is unavailable at once for %s (%s)', async (_, asked, misbehave, reason) => {
  server.always = misbehave;
  vat[asked === 'token' ? 'token' : 'always'] = misbehave;
  expect(await reasonOf(asked === 'companies' ? find(open()) : findVat(openVat()))).toMatch(reason);
  expect([server.requests.length, ...counts()]).toEqual(
    { companies: [1, 0, 0], vat: [0, 1, 1], 'vat, with a new token': [0, 2, 2], token: [0, 1, 0] }[asked],
  );
});

test('a register is unavailable after four attempts, or where nobody listens, and tells why', async () => {
  server.always = responding(500);
  expect(await reasonOf(find(open()))).toBe('the register is unavailable: it responded with status 500');
  expect(server.requests).toHaveLength(4);
  await server.close();
  expect(await reasonOf(find(open()))).toMatch(/the connection failed \(ECONNREFUSED\)/);
});

test('a register is unavailable when all the time is over, however the time was spent', async () => {
  server.always = silent;
  expect(await reasonOf(find(open({ totalMilliseconds: 300 })))).toMatch(/did not respond in time/);
  vat.token = silent;
  const registry = openVat({ attemptMilliseconds: 100, attempts: 2 });
  expect(await reasonOf(findVat(registry))).toMatch(/did not respond in time/);
});

test('a register is unavailable when it asks to wait for longer than there is time, and is not asked until then', async () => {
  const registry = open();
  server.next = [limited({ 'X-Ratelimit-Reset': String(Math.ceil(Date.now() / 1000) + 200) })];
  for (let time = 0; time < 2; time += 1) expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
  expect(server.requests).toHaveLength(1);
});

test('a register is unavailable to a caller who gives up, at once', async () => {
  server.always = silent;
  const giveUp = new AbortController();
  server.next = [() => setImmediate(giveUp.abort.bind(giveUp), new Error('the analysis was ended'))];
  await expect(find(open(), '01234567', giveUp.signal)).rejects.toThrow('the analysis was ended');
});

test('sparing a register pauses after failures in a row, asks again after a while, and logs an outage once', async () => {
  const registry = open({ attempts: 1, failuresUntilPause: 3, pauseMilliseconds: 500 });
  server.always = responding(500);
  for (let index = 0; index < 3; index += 1) expect(await reasonOf(find(registry))).toMatch(/status 500/);
  const paused =
    'the register is unavailable: requests are paused because it failed repeatedly, ' +
    'most recently: it responded with status 500';
  expect(await reasonOf(find(registry))).toBe(paused);
  expect(server.requests).toHaveLength(3);
  await sleep(600);
  // One request finds out whether the register works again.
  server.always = (response) => setTimeout(responding(500), 50, response);
  const reasons = await Promise.all(Array.from({ length: 4 }, () => reasonOf(find(registry))));
  expect(reasons.filter((reason) => reason === paused)).toHaveLength(3);
  expect(server.requests).toHaveLength(4);
  server.always = undefined;
  await sleep(600);
  for (let time = 0; time < 2; time += 1) expect(await find(registry)).toEqual(acme);
  const expected = ['a registry is unavailable', 'a registry is asked again'];
  expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(expected);
});

test('sparing a register goes on if the caller gives up the request that tests the register', async () => {
  const registry = open({ attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 300 });
  server.next = [responding(500), silent];
  await reasonOf(find(registry));
  await sleep(350);
  await expect(find(registry, '01234567', AbortSignal.timeout(50))).rejects.toThrow();
  expect(await reasonOf(find(registry))).toMatch(/requests are paused/);
  expect(log).toHaveLength(1);
});

test('sparing a register asks no more than two things at once, and leaves out what is given up meanwhile', async () => {
  const registry = open({ concurrency: 2 });
  const unknown = responding(404, { errors: [{ error: 'company-profile-not-found' }] });
  server.always = (response) => setTimeout(unknown, 200, response);
  const signals = [undefined, undefined, AbortSignal.timeout(50), AbortSignal.timeout(50), undefined, undefined];
  const outcomes = await Promise.allSettled(signals.map((signal) => find(registry, '01234567', signal)));
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(signals.map(Boolean));
  expect([server.requests.length, server.mostAtOnce]).toEqual([4, 2]);
});

test('sparing a register sends no more requests than its limit allows in a window, those for tokens included', async () => {
  const registry = openVat({ requestsOfWindow: 3, windowSeconds: 4 });
  const all = Promise.all(Array.from({ length: 5 }, () => findVat(registry)));
  while (vat.requests.length < 3) await sleep(5);
  await sleep(300);
  expect(counts()).toEqual([1, 2]);
  expect(await all).toHaveLength(5);
});

test.each([
  ['600 requests in five minutes', companiesHousePace, 300, 600],
  ['three requests in a second', vatRegistryPace, 1, 3],
])('sparing a register keeps within %s', (_, { requestsOfWindow, windowSeconds }, seconds, most) => {
  expect((Math.ceil(seconds / windowSeconds) + 1) * requestsOfWindow).toBeLessThanOrEqual(most);
});

test('sparing a register keeps a pause that a question did not wait for to its end', async () => {
  const registry = open({ totalMilliseconds: 10_000 });
  const giveUp = new AbortController();
  server.next = [
    (response) => {
      limited({ 'Retry-After': '2' })(response);
      setTimeout(() => {
        giveUp.abort();
      }, 1000);
    },
  ];
  const started = performance.now();
  await expect(find(registry, '01234567', giveUp.signal)).rejects.toThrow();
  expect(await find(registry)).toEqual(acme);
  expect(performance.now() - started).toBeGreaterThan(1990);
  expect(server.requests).toHaveLength(2);
});

test('sparing a register sends no requests for a while when they are limited without end', async () => {
  server.always = limited({ 'Retry-After': '0' });
  const registry = open({ pauseMilliseconds: 3000, totalMilliseconds: 2500 });
  for (let time = 0; time < 2; time += 1) expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
  expect(server.requests).toHaveLength(4);
  server.always = undefined;
  await sleep(3100);
  expect(await find(registry)).toEqual(acme);
});

test.each<[string, Partial<Pace>, Misbehaviour, RegExp, RegExp, number]>([
  [
    'after failures',
    { attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 300 },
    ...([responding(500), /status 500/, /requests are paused/, 400] as const),
  ],
  [
    'than the register asked for',
    { totalMilliseconds: 800 },
    ...([limited({ 'Retry-After': '1' }), /rate limit is exhausted/, /rate limit is exhausted/, 1100] as const),
  ],
])('sparing a register pauses no longer %s when the clock is set back', async (_, pace, misbehave, ...expected) => {
  const [before, after, milliseconds] = expected;
  const registry = open(pace);
  server.next = [misbehave];
  expect(await reasonOf(find(registry))).toMatch(before);
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  expect(await reasonOf(find(registry))).toMatch(after);
  await sleep(milliseconds);
  expect(await find(registry)).toEqual(acme);
});

test('no error and no line of the log has a secret or a token', async () => {
  const told: string[] = [];
  const encoded = Buffer.from(`${companiesHouseKey}:`).toString('base64');
  const secret = 'token-9-QGbWG8KckncuwwD4uYXgWxF4HQvuPmrm';
  const hurried = { failuresUntilPause: 1, attemptMilliseconds: 200 };
  const keep = (error: unknown) => told.push(inspect(error, { depth: 9 }));
  for (const misbehave of [responding(401, encoded), responding(500, companiesHouseKey), hangUp, silent]) {
    server.always = misbehave;
    await find(open(hurried)).catch(keep);
  }
  for (const misbehave of [vatError(401, secret), responding(500, vatCredentials.clientSecret), hangUp, silent])
    for (const what of ['always', 'token'] as const) {
      vat.always = vat.token = undefined;
      vat[what] = misbehave;
      await findVat(openVat(hurried)).catch(keep);
    }
  expect(told.length).toBe(12);
  for (const text of [...told, ...log])
    for (const hidden of [companiesHouseKey, encoded.slice(0, 20), vatCredentials.clientSecret, secret.slice(8)])
      expect(text).not.toContain(hidden);
});
