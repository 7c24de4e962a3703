/** Both regions side by side behind one proxy, as compose.yaml starts them. Run it with `npm test -- services`. */
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { createConnection, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { errors } from '../../generated/errors.ts';
import { type Region, regions } from '../../src/domain/region.ts';
import { newThumbnailName } from '../../src/files/thumbnail-name.ts';
import { settingPath } from '../support/harness.ts';
import { startNode } from '../support/process.ts';
import { connectRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { type RunningProxy, type Source, startProxy } from './proxy.ts';
import { startRegion } from './region.ts';

const [uk, ca] = await Promise.all([startRegion('uk'), startRegion('ca')]);
const running = { uk, ca };
const proxy = await startProxy(running);

const api = (region: Region) => `api.${region}.document-analysis.example`;
const cases = (region: Region) => `cases.${region}.document-analysis.example`;
const readSetting = (region: Region, key: string) => proxy.get(api(region), settingPath, { 'x-api-key': key });
const readCase = (region: Region, token: string, host = cases(region)) =>
  proxy.get(host, `/cases/${running[region].demo.case_id}`, { authorization: `Bearer ${token}` });
const remaining = ({ headers }: Awaited<ReturnType<RunningProxy['get']>>) =>
  Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

describe.each(regions)('region %s', (region) => {
  const other = region === 'uk' ? 'ca' : 'uk';

  test('is reached through each of its host names, over TLS', async () => {
    const { owner_key: key, access_token: token, case_id: caseId } = running[region].demo;
    expect(await readSetting(region, key)).toMatchObject({ status: 200, body: { enabled: false } });
    for (const host of [cases(region), api(region), cases(region).toUpperCase()])
      expect(await readCase(region, token, host)).toMatchObject({ status: 200, body: { case_id: caseId } });
  });

  test('knows no credential of the other region', async () => {
    const { owner_key: key, access_token: token } = running[other].demo;
    const unknown = { status: 401, body: { error_code: 'request.authentication.invalid-token' } };
    expect(await readSetting(region, key)).toMatchObject(unknown);
    expect(await readCase(region, token)).toMatchObject(unknown);
  });

  test('counts the requests of a credential once, whichever server responds', async () => {
    const { member_key: key } = running[region].demo;
    const left: number[] = [];
    for (let index = 0; index < 6; index += 1) left.push(remaining(await readSetting(region, key)));
    expect(left).toEqual([9999, 9998, 9997, 9996, 9995, 9994]);
    // Log lines are written a tenth of a second at a time.
    for (const { stderr } of running[region].servers)
      await until('each server has responded', () => stderr().includes('getVerificationSetting'));
  });
});

test('a client cannot name its own address to the servers', async () => {
  const first = remaining(await readSetting('uk', 'wrong'));
  const response = await proxy.get(api('uk'), settingPath, {
    'x-forwarded-for': '192.0.2.7',
    forwarded: 'for=192.0.2.7',
  });
  expect(remaining(response)).toBe(first - 1);
});

test("a role of one region's servers reaches no database of the other", async () => {
  const url = new URL(running.uk.databaseUrl);
  url.pathname = new URL(running.ca.databaseUrl).pathname;
  await expect(new pg.Client(url.href).connect()).rejects.toThrow('permission denied for database');
  // test/store/postgres-rights.test.ts has what a role of servers may not do, of which a server would warn.
  for (const { stderr } of running.uk.servers) expect(stderr()).not.toContain('The server uses the database');
});

test('without the password, Redis counts for nobody', async () => {
  const redis = await connectRedis(new URL(running.uk.redisUrl));
  expect(await redis.ping()).toBe('PONG');
  for (const command of [['KEYS', '*'], ['SET', 'document-analysis:uk:x', '1'], ['INFO'], ['FLUSHALL']])
    await expect(redis.sendCommand(command)).rejects.toThrow(/^NOPERM/);
  redis.destroy();
  expect(running.uk.servers[0]?.stderr()).not.toContain('Redis is unavailable');
});

describe('one source at the proxy', () => {
  const noRegion = 'api.us.document-analysis.example';
  const retryLater = {
    status: 429,
    headers: { 'retry-after': '60', 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown },
    body: { error_code: 'request.rate-limit.exceeded', error_message: errors['request.rate-limit.exceeded'].message },
  };
  /** Each header is sent over a certificate of the region, to no region: the servers are not asked. */
  const send = (from: Source) => proxy.get(api('uk'), '/', { host: noRegion }, from);

  test('is refused after 6000 requests in a minute, as the API refuses, and others are served', async () => {
    const localAddress = '127.0.0.9';
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const statuses: (number | undefined)[] = [];
    const sendMany = async () => {
      while (statuses.length < 6100 && statuses.at(-1) !== 429)
        statuses.push((await send({ localAddress, agent })).status);
    };
    await Promise.all(Array.from({ length: 20 }, sendMany));
    const served = statuses.filter((status) => status === 421).length;
    expect(served).toBeGreaterThanOrEqual(5980);
    expect(served).toBeLessThanOrEqual(6000);
    expect(await send({ localAddress, agent })).toMatchObject(retryLater);
    agent.destroy();
    expect((await readSetting('uk', running.uk.demo.owner_key)).status).toBe(200);
  });

  test('is refused with more than 200 connections, and gets no more than 400', async () => {
    const localAddress = '127.0.0.10';
    const open: Socket[] = [];
    const connect = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const socket = createConnection({ host: '127.0.0.1', port: proxy.port, localAddress });
        // The proxy resets at once those that are too many, perhaps before this process has seen that they were opened.
        const openedOrReset = new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        socket.on('error', () => undefined);
        await openedOrReset;
        open.push(socket);
      }
    };
    await connect(199);
    expect((await send({ localAddress })).status).toBe(421);
    // The proxy accepts connections a moment after their clients have opened them.
    await connect(1);
    await until('it is refused', async () => (await send({ localAddress })).status !== 421);
    expect(await send({ localAddress })).toMatchObject(retryLater);
    await connect(200);
    // A request whose connection still counted has taken the place of one of them: one more each time fills it.
    const refusal = async () => {
      await connect(1);
      return send({ localAddress }).then(() => undefined, String);
    };
    expect(await until('it gets no connection', refusal, 500)).toMatch(/ECONNRESET|disconnected|socket hang up/);
    expect((await readSetting('uk', running.uk.demo.owner_key)).status).toBe(200);
    for (const socket of open) socket.destroy();
  });
});

test('the log of the proxy has no name of a thumbnail, no query and no header', async () => {
  const name = newThumbnailName();
  const written = proxy.log().length;
  for (const path of [
    `/thumbnails/${name}`,
    `/thumbnails%2F${name}`,
    `//x/../thumbnails/${name}?of=${name}`,
    `/y?${name}`,
  ])
    await proxy.get(api('uk'), path, { referer: `https://x.example/${name}`, cookie: name });
  await until('the log has the last request', () => proxy.log().slice(written).includes('GET /y HTTP/1.1'));
  expect(proxy.log().slice(written)).toMatch(/ GET \/thumbnails\/\*\*\*\.webp HTTP\/1\.1\n/);
  expect(proxy.log()).not.toContain(name.slice(2, 20));
});

test('a host name of no region leads to no server', async () => {
  const response = await proxy.get(api('uk'), settingPath, { host: 'api.us.document-analysis.example' });
  expect(response).toMatchObject({ status: 421, body: { error_code: 'request.not-found' } });
});

test('a region conforms to the contract through its proxy', async () => {
  const file = join(dirname(proxy.caFile), 'credentials.json');
  await writeFile(file, JSON.stringify(uk.demo));
  const [url, caseUrl] = [api, cases].map((host) => `https://${host('uk')}:${proxy.port}`) as [string, string];
  // The proxy bounds the requests of an address, and one operation shows what it does to each way of asking.
  const skipped = 'explored.updateVerificationSetting.*.decided,explored.getCase.*.decided,explored.service.*.decided';
  const options = ['--case-url', caseUrl, '--credentials', file, '--requests-per-second', '90', '--skip', skipped];
  const suite = startNode(['contract/main.ts', 'check', '--url', url, ...options], {
    NODE_EXTRA_CA_CERTS: proxy.caFile,
    NODE_OPTIONS: '--import ./test/support/resolve-regions.js',
  });
  const exitCode = await suite.ended;
  expect([suite.stdout(), suite.stderr()].join('\n')).toContain('The server conforms in all that was checked; ');
  expect(exitCode).toBe(0);
});

test('a killed server is not missed by those who read, and with both killed the proxy says that the region is unavailable', async () => {
  const { servers, demo } = running.uk;
  servers[0]?.child.kill('SIGKILL');
  for (let index = 0; index < 30; index += 1) expect((await readSetting('uk', demo.owner_key)).status).toBe(200);
  await servers[0]?.ended;
  servers[1]?.child.kill('SIGKILL');
  await servers[1]?.ended;
  const { status, headers, body } = await readSetting('uk', demo.owner_key);
  expect([status, body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
  expect(headers).toMatchObject({ 'retry-after': '5', 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect((await readSetting('ca', running.ca.demo.owner_key)).status).toBe(200);
});
