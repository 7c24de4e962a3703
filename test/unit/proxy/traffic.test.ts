import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { settingPath, startHarness } from '../../support/harness.ts';
import { addressOf } from '../../support/client.ts';
import { type RunningProxy, withProxy, withProxiedServer } from '../../support/proxy.ts';
import { sendOne, sendRaw } from '../../support/raw-http.ts';
import { addAccessToken, addApiKey, addOrganisation } from '../../support/tenants.ts';
import { serveHttp } from '../../support/misbehaving-servers.ts';

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

/** Sends a request through a proxy, and gives what the server has seen of it and the client of the response. */
async function pass(
  base: string,
  options: http.RequestOptions & { headers: readonly string[] },
  body: string[] = [],
  responseHeaders: string[] = [],
) {
  let seen: { target: string; fields: string[]; body: string } | undefined;
  let response: IncomingMessage | undefined;
  const handler: http.RequestListener = (request, responding) => {
    void text(request).then((body) => {
      const target = `${request.method ?? ''} ${request.url ?? ''}`;
      seen = { target, fields: linesOf(request.rawHeaders), body };
      responding.writeHead(200, 'Fine', responseHeaders).end('{}');
    });
  };
  await withProxy((await serveHttp(handler)) + base, async ({ url }) => {
    const request = http.request(url, options);
    for (const chunk of body) request.write(chunk);
    request.end();
    [response] = (await once(request, 'response')) as [IncomingMessage];
    await text(response);
  });
  if (!seen || !response) throw new Error('nothing has passed');
  return { seen, response };
}

/** The lines of header fields, as they were sent. */
function linesOf(rawHeaders: string[]): string[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : []));
}

const rawOf = (...lines: string[]) => lines.flatMap((line) => line.split(/: (.*)/).slice(0, 2));

test('a request arrives as it was sent, but for what concerns one connection, with the target in Host', async () => {
  const headers = rawOf(
    'Host: proxy.example',
    'X-API-Key: one',
    'x-api-key: two',
    'Content-Type: text/plain',
    'Content-Length: 3',
    'Connection: keep-alive, X-Mine, Content-Length',
    'X-Mine: hop',
    'Keep-Alive: timeout=1',
    'TE: trailers',
    'Proxy-Authorization: Basic eDp5',
    'Via: 1.0 other',
  );
  const { seen } = await pass('/base/', { method: 'PUT', path: '/a%2Fb//?x=1&x=2', headers }, ['abc']);
  expect(seen).toMatchObject({ target: 'PUT /base/a%2Fb//?x=1&x=2', body: 'abc' });
  expect(seen.fields.filter((field) => !field.startsWith('Via: 1.1'))).toEqual([
    expect.stringMatching(/^Host: 127\.0\.0\.1:\d+$/),
    'X-API-Key: one',
    'X-API-Key: two',
    'Content-Type: text/plain',
    'Content-Length: 3',
    'Via: 1.0 other',
    'Connection: keep-alive',
  ]);
  expect(seen.fields).toContainEqual(expect.stringMatching(/^Via: 1\.1 document-analysis-proxy-[0-9a-f]{8}$/));
});

test.each(['PUT', 'GET', 'DELETE'])('a %s body in chunks arrives in chunks, whole', async (method) => {
  const headers = ['Host', 'a', 'Transfer-Encoding', 'chunked'];
  const { seen } = await pass('', { method, headers }, ['abc', 'x'.repeat(100_000)]);
  expect(seen.body).toBe(`abc${'x'.repeat(100_000)}`);
  expect(seen.fields).toContain('Transfer-Encoding: chunked');
});

test('a request without a body arrives without one', async () => {
  const seen: http.IncomingHttpHeaders[] = [];
  const handler: http.RequestListener = ({ headers }, response) => {
    seen.push(headers);
    response.end();
  };
  await withProxiedServer(handler, ({ url }) => sendRaw(url, 'PUT / HTTP/1.1\r\nHost: a\r\n\r\n'));
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toHaveProperty('transfer-encoding');
  expect(seen[0]?.['content-length'] ?? '0').toBe('0');
});

test('a request of a client that takes the proxy for a forward proxy arrives by its path', async () => {
  const { seen } = await pass('', { path: 'http://api.example/cases/1?x=1', headers: ['Host', 'a'] });
  expect(seen.target).toBe('GET /cases/1?x=1');
});

test('a response arrives as it was sent, but for what concerns one connection', async () => {
  const endToEnd = ['X-Request-Id: a', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'Date: Mon, 02 Mar 2026 12:00:00 GMT'];
  const sent = rawOf(...endToEnd, 'Connection: close, X-Mine', 'X-Mine: hop', 'Content-Length: 2');
  const { response } = await pass('', { headers: ['Host', 'a', 'Connection', 'keep-alive'] }, [], sent);
  expect([response.statusCode, response.statusMessage]).toEqual([200, 'Fine']);
  const hop = ['Content-Length: 2', 'Connection: keep-alive', 'Keep-Alive: timeout=15'];
  expect(linesOf(response.rawHeaders)).toEqual([...endToEnd, ...hop]);
});
