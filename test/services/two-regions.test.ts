/** Both regions side by side behind one proxy, as compose.yaml starts them. Run it with `npm run test:services`. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Region, regions } from '../../src/domain/region.ts';
import { settingPath } from '../support/harness.ts';
import { startScript } from '../support/process.ts';
import { type RunningProxy, startProxy } from './proxy.ts';
import { type RunningRegion, startRegion } from './region.ts';

let running: Record<Region, RunningRegion>;
let proxy: RunningProxy;
const started: Promise<{ close(): Promise<void> }>[] = [];

beforeAll(async () => {
  const [uk, ca] = [startRegion('uk'), startRegion('ca')];
  started.push(uk, ca);
  running = { uk: await uk, ca: await ca };
  const starting = startProxy(running);
  started.push(starting);
  proxy = await starting;
}, 120_000);

afterAll(async () => {
  for (const end of await Promise.allSettled(started)) if (end.status === 'fulfilled') await end.value.close();
}, 60_000);

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
    await sleep(500);
    for (const { stderr } of running[region].servers) expect(stderr()).toContain('getVerificationSetting');
  });
});

test('failed authentications in one region do not count in the other, from the same address', async () => {
  const before = remaining(await readSetting('ca', 'wrong'));
  const first = remaining(await readSetting('uk', 'wrong'));
  for (let index = 0; index < 5; index += 1) await readSetting('uk', 'wrong');
  expect(remaining(await readSetting('uk', 'wrong'))).toBe(first - 6);
  expect(remaining(await readSetting('ca', 'wrong'))).toBe(before - 1);
});

test('a client cannot name its own address to the servers', async () => {
  const first = remaining(await readSetting('uk', 'wrong'));
  const response = await proxy.get(api('uk'), settingPath, {
    'x-forwarded-for': '192.0.2.7',
    forwarded: 'for=192.0.2.7',
  });
  expect(remaining(response)).toBe(first - 1);
});

test('a host name of no region leads to no server', async () => {
  const response = await proxy.get(api('uk'), settingPath, { host: 'api.us.document-analysis.example' });
  expect(response).toMatchObject({ status: 421, body: { error_code: 'request.not-found' } });
});

test('a region keeps the contract through its proxy', async () => {
  const { uk } = running;
  const file = join(dirname(proxy.caFile), 'credentials.json');
  await writeFile(file, JSON.stringify(uk.demo));
  const [url, caseUrl] = [api, cases].map((host) => `https://${host('uk')}:${proxy.port}`) as [string, string];
  const suite = startScript('contract/main.ts', ['check', '--url', url, '--case-url', caseUrl, '--credentials', file], {
    NODE_EXTRA_CA_CERTS: proxy.caFile,
    NODE_OPTIONS: '--import ./test/support/resolve-regions.js',
  });
  const exitCode = await suite.ended;
  expect([suite.stdout(), suite.stderr()].join('\n')).toContain('The server conforms.');
  expect(exitCode).toBe(0);
}, 180_000);

test('a killed server is not missed by those who read, and with both killed the proxy says that the region is away', async () => {
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
