import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { companiesHouse, companiesHousePace } from '../../../src/analysis/registries/companies-house.ts';
import type { Registry } from '../../../src/analysis/registries/registry.ts';
import {
  responding,
  companiesHouseKey,
  type CompaniesHouseServer,
  hangUp,
  limited,
  type Misbehaviour,
  reasonOf,
  silent,
  startCompaniesHouse,
} from '../../support/companies-house.ts';

/** The same policies as in earnest, in less time. */
const quick: typeof companiesHousePace = {
  ...companiesHousePace,
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  firstBackoffMilliseconds: 1,
  requestsOfWindow: 1000,
};

let server: CompaniesHouseServer;
let log: string[];
beforeEach(async () => {
  server = await startCompaniesHouse();
  log = [];
});
afterEach(() => server.close());

function open(pace: Partial<typeof quick> = {}, { url = server.url, apiKey = companiesHouseKey } = {}): Registry {
  const logger = pino({ base: null, level: 'trace' }, { write: (line: string) => log.push(line) });
  return companiesHouse({ url, apiKey }, logger, { ...quick, ...pace });
}

const find = (registry: Registry, number = '01234567', signal?: AbortSignal) =>
  registry.find('uk-company-number', number, signal);
const acme = { value: '01234567', name: 'ACME LIMITED', status: 'active' };

describe("asking the UK register's public API", () => {
  test('gives the company that has the number, and sends the key as user name without a password', async () => {
    expect(await find(open())).toEqual(acme);
    const authorization = `Basic ${Buffer.from(`${companiesHouseKey}:`).toString('base64')}`;
    expect(server.requests).toEqual([{ path: '/company/01234567', authorization }]);
  });

  test('gives a company of which the register tells no status', async () => {
    expect(await find(open(), 'RC000123')).toEqual({ value: 'RC000123', name: 'THE ROYAL SOCIETY', status: '' });
  });

  test('gives nothing for a number that the register does not have', async () => {
    expect(await find(open(), '99999999')).toBeUndefined();
  });

  test('keeps the path of its base address, and whatever the number is, asks below it', async () => {
    await find(open({}, { url: new URL('proxy', server.url) }), '../../x?y').catch(() => undefined);
    expect(server.requests.map(({ path }) => path)).toEqual(['/proxy/company/..%2F..%2Fx%3Fy']);
  });

  test.each<[string, Misbehaviour[]]>([
    ['errors of the server', [responding(500), responding(502, '<html>'), responding(503)]],
    ['closed connections', [hangUp, hangUp]],
    [
      'a response that is cut off',
      [(response) => response.writeHead(200, { 'Content-Length': 99 }).write('{"company')],
    ],
    [
      'an exhausted limit that lasts a moment',
      [limited({ 'Retry-After': '0' }), limited({ 'X-Ratelimit-Reset': '1' })],
    ],
  ])('asks again after %s', async (_, misbehaviour) => {
    server.next = misbehaviour.map((misbehave) => (response) => {
      misbehave(response);
      if (!response.writableEnded) setTimeout(() => response.destroy(), 10);
    });
    expect(await find(open())).toEqual(acme);
    expect(server.requests).toHaveLength(misbehaviour.length + 1);
  });

  test('asks again when an attempt takes too long', async () => {
    server.next = [silent, (response) => response.writeHead(200).write('{')];
    expect(await find(open({ attemptMilliseconds: 300 }))).toEqual(acme);
    expect(server.requests).toHaveLength(3);
  });

  test('waits as long as Retry-After asks', async () => {
    server.next = [limited({ 'Retry-After': '1' })];
    const started = performance.now();
    expect(await find(open())).toEqual(acme);
    expect(performance.now() - started).toBeGreaterThan(990);
  });
});

describe("what the UK register's public API fails to tell", () => {
  test.each<[string, Misbehaviour, RegExp]>([
    ['a refused key', responding(401, { error: 'Invalid Authorization' }), /refuses the API key \(status 401\)/],
    ['a forbidden caller', responding(403), /refuses the API key \(status 403\)/],
    ['a redirect', responding(302, '', { Location: 'http://127.0.0.1:1/' }), /status 302/],
    ['text', responding(200, 'Hello'), /not JSON/],
    ['another form', responding(200, { name: 'ACME' }), /not the requested company/],
    [
      'a name that is none',
      responding(200, { ...acme, company_number: '01234567', company_name: 7 }),
      /not the requested company/,
    ],
    [
      'a name that goes on and on',
      responding(200, { company_name: 'A'.repeat(1001), company_number: '01234567' }),
      /not the requested company/,
    ],
    [
      'another company',
      responding(200, { company_name: 'OTHER LTD', company_number: '07654321' }),
      /not the requested company/,
    ],
    ["a 404 that is not the register's", responding(404, '<html>No such page</html>'), /not JSON/],
    [
      'a 404 of another form',
      responding(404, { message: 'no Route matched' }),
      /status 404, but not in the format of the register/,
    ],
    ['a huge response', responding(200, `"${'A'.repeat(300_000)}"`), /larger than 256 KiB/],
    [
      'a huge response that is packed small',
      (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
      /larger than 256 KiB/,
    ],
  ])('is unavailable at once for %s', async (_, misbehave, reason) => {
    server.always = misbehave;
    expect(await reasonOf(find(open()))).toMatch(reason);
    expect(server.requests).toHaveLength(1);
  });

  test('is unavailable after four attempts', async () => {
    server.always = responding(500);
    expect(await reasonOf(find(open()))).toBe('the register is unavailable: it responded with status 500');
    expect(server.requests).toHaveLength(4);
  });

  test('is unavailable where nobody listens, and tells why', async () => {
    await server.close();
    expect(await reasonOf(find(open()))).toMatch(/the connection failed \(ECONNREFUSED\)/);
    server = await startCompaniesHouse();
  });

  test('is unavailable when all the time is over, however the time was spent', async () => {
    server.always = silent;
    expect(await reasonOf(find(open({ totalMilliseconds: 300 })))).toMatch(/did not respond in time/);
  });

  test('is unavailable when it asks to wait for longer than there is time, and is not asked until then', async () => {
    const registry = open();
    server.next = [limited({ 'X-Ratelimit-Reset': String(Math.ceil(Date.now() / 1000) + 200) })];
    expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
    expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
    expect(server.requests).toHaveLength(1);
  });

  test('a caller who gives up is told so at once', async () => {
    server.always = silent;
    const giveUp = new AbortController();
    const asked = find(open(), '01234567', giveUp.signal);
    while (server.requests.length === 0) await sleep(5);
    giveUp.abort(new Error('the analysis was ended'));
    await expect(asked).rejects.toThrow('the analysis was ended');
  });
});

describe('sparing the UK register', () => {
  test('pauses after failures in a row, and asks again after a while', async () => {
    const registry = open({ attempts: 1, failuresUntilPause: 3, pauseMilliseconds: 2000 });
    server.always = responding(500);
    for (let index = 0; index < 3; index += 1) expect(await reasonOf(find(registry))).toMatch(/status 500/);
    expect(await reasonOf(find(registry))).toBe(
      'the register is unavailable: requests are paused because it failed repeatedly, ' +
        'most recently: it responded with status 500',
    );
    expect(server.requests).toHaveLength(3);
    server.always = undefined;
    const untilFound = async () => {
      for (;;) {
        const found = await find(registry).catch(() => undefined);
        if (found) return found;
        await sleep(50);
      }
    };
    expect(await untilFound()).toEqual(acme);
    expect(await find(registry)).toEqual(acme);
    expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'the company register is unavailable',
      'the company register is asked again',
    ]);
  });

  test('tells of one outage once, however long it lasts', async () => {
    const registry = open({ attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 1 });
    server.always = responding(500);
    for (let index = 0; index < 5; index += 1) {
      await reasonOf(find(registry));
      await sleep(5);
    }
    expect(log).toHaveLength(1);
  });

  test('asks no more than a few things at once', async () => {
    const registry = open({ concurrency: 2 });
    server.always = (response) =>
      setTimeout(() => {
        responding(404, { errors: [{ error: 'company-profile-not-found' }] })(response);
      }, 200);
    await Promise.all(Array.from({ length: 8 }, () => find(registry)));
    expect([server.requests.length, server.mostAtOnce]).toEqual([8, 2]);
  });

  test('sends no more requests than its limit allows in a window', async () => {
    const registry = open({ requestsOfWindow: 3, windowSeconds: 4 });
    const all = Promise.all(Array.from({ length: 6 }, () => find(registry)));
    while (server.requests.length < 3) await sleep(5);
    await sleep(300);
    expect(server.requests).toHaveLength(3);
    expect(await all).toHaveLength(6);
  });

  test('keeps within 600 requests in five minutes', () => {
    const { requestsOfWindow, windowSeconds } = companiesHousePace;
    expect((Math.ceil(300 / windowSeconds) + 1) * requestsOfWindow).toBeLessThanOrEqual(600);
  });
});

test('no error and no line of the log has the key', async () => {
  const told: string[] = [];
  const encoded = Buffer.from(`${companiesHouseKey}:`).toString('base64');
  for (const misbehave of [responding(401, encoded), responding(500, companiesHouseKey), hangUp, silent]) {
    server.always = misbehave;
    const asked = find(open({ failuresUntilPause: 1, attemptMilliseconds: 200 }));
    await asked.catch((error: unknown) => told.push(inspect(error, { depth: 9 })));
  }
  expect(told.length).toBe(4);
  for (const text of [...told, ...log]) {
    expect(text).not.toContain(companiesHouseKey);
    expect(text).not.toContain(encoded.slice(0, 20));
  }
});

describe('when the clock is set back by an hour', () => {
  const setClockBack = () => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  };
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('a window ends in time', async () => {
    const registry = open({ requestsOfWindow: 1, windowSeconds: 1, totalMilliseconds: 10_000 });
    await find(registry);
    setClockBack();
    expect(await find(registry)).toEqual(acme);
  });

  test('a pause after failures is no longer than otherwise', async () => {
    const registry = open({ attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 300 });
    server.next = [responding(500)];
    expect(await reasonOf(find(registry))).toMatch(/status 500/);
    setClockBack();
    expect(await reasonOf(find(registry))).toMatch(/requests are paused/);
    await sleep(400);
    expect(await find(registry)).toEqual(acme);
  });

  test('the register gets no longer a pause than it asked for', async () => {
    const registry = open({ totalMilliseconds: 800 });
    server.next = [limited({ 'Retry-After': '1' })];
    expect(await reasonOf(find(registry))).toMatch(/rate limit is exhausted/);
    setClockBack();
    await sleep(1100);
    expect(await find(registry)).toEqual(acme);
  });
});

test('after a pause one request finds out whether the register works again', async () => {
  const registry = open({ attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 200 });
  server.next = [responding(500)];
  await reasonOf(find(registry));
  server.always = (response) =>
    setTimeout(() => {
      responding(500)(response);
    }, 50);
  await sleep(250);
  const reasons = await Promise.all(Array.from({ length: 4 }, () => reasonOf(find(registry))));
  expect(reasons.filter((reason) => reason.includes('requests are paused'))).toHaveLength(3);
  expect(server.requests).toHaveLength(2);
});

test('the pause goes on if the caller gives up the request that tests the register', async () => {
  const registry = open({ attempts: 1, failuresUntilPause: 1, pauseMilliseconds: 300 });
  server.next = [responding(500), silent];
  await reasonOf(find(registry));
  await sleep(350);
  await expect(find(registry, '01234567', AbortSignal.timeout(50))).rejects.toThrow();
  expect(await reasonOf(find(registry))).toMatch(/requests are paused/);
  expect(log).toHaveLength(1);
});
