import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { writeDocsInFolder } from '../../support/docs.ts';
import { settingPath, startHarness } from '../../support/harness.ts';
import { sendOne, sendRaw } from '../../support/raw-http.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

const origin = 'https://app.example';
const other = 'https://other.example';

const docs = await writeDocsInFolder([
  { path: 'index.html', content: Buffer.from('') },
  { path: 'openapi.json', address: '/openapi.json', content: Buffer.from('{}') },
  { path: 'openapi.yaml', address: '/openapi.yaml', content: Buffer.from('') },
]);
const rateLimits = { requests: 2, failedAuthentications: 2 };
const allowedOrigins = [origin, 'http://localhost:5173'];
const api = await startHarness({ allowedOrigins, rateLimits, docsFolder: docs });

const preflight = (from: string, method = 'PUT') =>
  supertest(api.server)
    .options(settingPath)
    .set({ Origin: from, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': 'x-api-key' });

const exposed = 'X-Request-Id,RateLimit-Policy,RateLimit,WWW-Authenticate,Retry-After';

test('a preflight request of an allowed origin succeeds without a credential', async () => {
  const { status, headers, text } = await preflight(origin);
  expect([status, text]).toEqual([200, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET,HEAD,PUT',
    'access-control-allow-headers': 'x-api-key',
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
    'x-request-id': expect.any(String),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.stringContaining('max-age='),
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(headers['access-control-allow-credentials']).toBeUndefined();
});

test('a preflight request spends no quota', async () => {
  for (let sent = 0; sent < 5; sent += 1) expect((await preflight(origin)).status).toBe(200);
  const refused = await sendOne(api.server, `GET ${settingPath} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\n\r\n`);
  expect([refused?.status, refused?.headers['ratelimit']]).toEqual([401, expect.stringContaining(';r=1;')]);
});

const foreign = [other, 'null', `${origin}.attacker.example`, 'https://app.example:8443', 'http://app.example'];
test.each(foreign)('a preflight request of %s has an unknown method, as without CORS', async (from) => {
  const { status, headers } = await preflight(from);
  expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
  expect(headers['vary']).toContain('Origin');
});

test('a preflight request is told apart from OPTIONS', async () => {
  const { status, headers } = await api.call('OPTIONS', settingPath, { headers: { Origin: origin } });
  expect([status, headers['access-control-allow-origin']]).toEqual([405, origin]);
});

const from = { Origin: origin };
const readable = { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed, vary: 'Origin' };

test('a page of an allowed origin can read a success, a refusal of its body, and that its quota is used up', async () => {
  const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  const headers = { ...from, 'x-api-key': key };
  const call = (body: object) => api.call('PUT', settingPath, { headers, body });
  const responses = [await call({ enabled: true }), await call({}), await call({})];
  expect(responses.map(({ status }) => status)).toEqual([200, 400, 429]);
  for (const response of responses) expect(response.headers).toMatchObject(readable);
});

test.each([
  ['GET', '/cases/1', 401],
  ['GET', '/no-such-path', 404],
  ['DELETE', settingPath, 405],
])('a page of an allowed origin can read %s %s: %s', async (method, path, status) => {
  const response = await api.call(method, path, { headers: from });
  expect(response.status).toBe(status);
  expect(response.headers).toMatchObject(readable);
});

test('a page of an allowed origin can read the description, which varies with two headers', async () => {
  const { status, headers } = await supertest(api.server).get('/openapi.json').set(from);
  const expected = [200, origin, 'Origin, Accept-Encoding'];
  expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual(expected);
});

test('a page of an allowed origin can read that its request was too slow, with the name that the log has', async () => {
  const clientLimits = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 };
  const hasty = await startHarness({ allowedOrigins: [origin], clientLimits });
  const key = await addApiKey(hasty.store, await addOrganisation(hasty.store), 'owner');
  const [response] = await sendRaw(
    hasty.server,
    `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nX-Request-Id: mine\r\nContent-Length: 10\r\n` +
      `Content-Type: application/json\r\nx-api-key: ${key}\r\n\r\n`,
    10_000,
  );
  expect(response).toMatchObject({ status: 408, headers: { ...readable, 'x-request-id': 'mine' } });
});

test('a page of another origin can read nothing', async () => {
  const { headers } = await api.call('GET', settingPath, { headers: { Origin: other } });
  expect([headers['access-control-allow-origin'], headers['vary']]).toEqual([undefined, 'Origin']);
});

test('without allowed origins no response has a header of CORS', async () => {
  const closed = await startHarness();
  const { status, headers } = await supertest(closed.server)
    .options(settingPath)
    .set({ Origin: origin, 'Access-Control-Request-Method': 'PUT' });
  expect([status, Object.keys(headers).filter((name) => /^access-control-|^vary$/.test(name))]).toEqual([405, []]);
});
