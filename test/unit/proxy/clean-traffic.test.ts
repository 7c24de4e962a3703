import { expect, test } from '@jest/globals';
import { settingPath, startHarness } from '../../support/harness.ts';
import { addressOf } from '../../support/client.ts';
import { type RunningProxy, withProxy } from '../../support/proxy.ts';
import { sendOne, sendRaw } from '../../support/raw-http.ts';
import { addAccessToken, addApiKey, addOrganisation } from '../../support/tenants.ts';

const api = await startHarness({ rateLimits: { requests: 100_000 }, allowedOrigins: ['https://app.example'] });
const organisation = await addOrganisation(api.store);
const key = { 'x-api-key': await addApiKey(api.store, organisation, 'owner') };
const token = { authorization: `Bearer ${await addAccessToken(api.store, organisation)}` };

const through = (work: (proxy: RunningProxy) => Promise<unknown>) => withProxy(addressOf(api), work);
const json = { 'content-type': 'application/json' };

test('a preflight request of a browser is passed on, and judged by nobody', async () => {
  const { records } = await through(async ({ url }) => {
    const asked = 'Origin: https://app.example\r\nAccess-Control-Request-Method: PUT';
    const response = await sendOne(url, `OPTIONS ${settingPath} HTTP/1.1\r\nHost: x\r\n${asked}\r\n\r\n`);
    expect([response?.status, response?.headers['access-control-allow-origin']]).toEqual([200, 'https://app.example']);
  });
  expect(records).toEqual([]);
});

test('a client sees the same responses, and nothing is found in traffic that conforms', async () => {
  const { records, findings } = await through(async ({ url }) => {
    for (const [path, init] of [
      [settingPath, { headers: key }],
      [settingPath, { headers: key, method: 'HEAD' }],
      [settingPath, { headers: { ...key, ...json }, method: 'PUT', body: '{"enabled":true}' }],
      [`${settingPath}?page=1`, { headers: { 'x-api-key': 'unknown' } }],
      ['/cases/none', { headers: token }],
    ] as const) {
      const [direct, proxied] = await Promise.all([fetch(addressOf(api) + path, init), fetch(url + path, init)]);
      expect(proxied.status).toBe(direct.status);
      expect(await proxied.text()).toBe(await direct.text());
      const ofEach = ['x-request-id', 'ratelimit', 'date', 'connection', 'keep-alive'];
      const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !ofEach.includes(name));
      expect(headersOf(proxied)).toEqual(headersOf(direct));
    }
  });
  expect(findings()).toEqual([]);
  expect(
    records.map(({ type, method, path, operation_id, status }) => [type, method, path, operation_id, status]),
  ).toEqual(
    expect.arrayContaining([
      ['request', 'GET', settingPath, 'getVerificationSetting', null],
      ['response', 'HEAD', settingPath, 'getVerificationSetting', 200],
      ['response', 'PUT', settingPath, 'updateVerificationSetting', 200],
      ['response', 'GET', settingPath, 'getVerificationSetting', 401],
      ['response', 'GET', '/cases/none', 'getCase', 404],
    ]),
  );
  expect(records).toHaveLength(10);
});

test('a hundred requests at once all get a response', async () => {
  const { records, findings } = await through(async ({ url }) => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        fetch(url + settingPath, {
          headers: { ...key, ...json },
          ...(index % 2 === 0 && { method: 'PUT', body: '{"enabled":true}' }),
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  });
  expect(findings()).toEqual([]);
  expect(records).toHaveLength(200);
});

test('one connection of a client carries many requests, even after one whose large body is refused early', async () => {
  const head = `Host: a\r\nx-api-key: ${key['x-api-key']}\r\n`;
  const put = (body: string) =>
    `PUT ${settingPath} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = `GET ${settingPath} HTTP/1.1\r\n${head}\r\n`;
  const { findings } = await through(async ({ url }) => {
    const large = put(`{"enabled":true}${' '.repeat(5_000_000)}`);
    const responses = await sendRaw(url, get + large + put('{"enabled":false}') + get, 5000);
    expect(responses.map(({ status }) => status)).toEqual([200, 413, 200, 200]);
  });
  expect(findings()).toEqual(['request body: the body is larger than 16384 bytes']);
});

test('a client that waits for 100 Continue gets it from the target, or its refusal', async () => {
  const put = (key: string) =>
    `PUT ${settingPath} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n` +
    'Content-Length: 16\r\nExpect: 100-continue\r\n\r\n';
  await through(async ({ url }) => {
    const [first] = await sendRaw(url, put(key['x-api-key']), 2000);
    expect(first?.status).toBe(100);
    const [refused] = await sendRaw(url, put('unknown'), 2000);
    expect(refused?.status).toBe(401);
  });
});
