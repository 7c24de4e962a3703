import { describe, expect, test } from '@jest/globals';
import { operationsOfPath } from '../../../contract/document/index.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { expectConformance, settingPath, startHarness } from '../../support/harness.ts';
import { sendOne, sendRaw } from '../../support/raw-http.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

const api = await startHarness();

const methodsOf = (path: string) =>
  operationsOfPath(ownDocument, path).flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  );

/** Paths of the document's first operations and beside them; a new operation may have one. */
describe('a path that is not in the document gets 404', () => {
  const paths = [
    ...['/', '/cases', '/cases/', '/cases/1/', '/Cases/1', '/cases/1/files', '//cases/1', `${settingPath}/`],
    ...[settingPath.toUpperCase(), `/v1${settingPath}`, '/organisations/features/%76erification', '/openapi%00'],
    ...['/organisations/../organisations/features/verification', '/%zz', '/__proto__', '/constructor'],
  ];

  test.each(paths.filter((path) => methodsOf(path).length === 0))('%s', async (path) => {
    for (const method of ['GET', 'PUT', 'HEAD', 'OPTIONS']) expect((await api.call(method, path)).status).toBe(404);
  });

  test.each([
    ...['*', 'http://x', 'x:y', '?', '/#', 'foo://a', 'http://', 'http://?x', 'http://[', 'ftp://['],
    ...['http://xn--/x', 'ftp://a:b/', '//', '//['],
  ])('the target %s', async (target) => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await sendOne(api.server, `${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect([400, 404]).toContain(response?.status);
      if (response) expectConformance(method, '/', response);
    }
  });

  test('CONNECT', async () => {
    const response = await sendOne(api.server, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(response?.status).toBe(404);
    if (response) expectConformance('CONNECT', 'x:443', response);
  });
});

describe('a method that the path does not have gets 405 with those it has', () => {
  const methods = ['POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

  test.each(methods)('%s', async (method) => {
    const paths = [settingPath, '/cases/1'].filter((path) => !methodsOf(path).includes(method));
    const requests = paths.map((path) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
    const responses = await sendRaw(api.server, requests, undefined, paths.length);
    const allowed = responses.map(({ status, headers }) => [status, headers['allow']]);
    expect(allowed).toEqual(paths.map((path) => [405, methodsOf(path).sort().join(', ')]));
    for (const [index, response] of responses.entries()) expectConformance(method, paths[index] ?? '', response);
  });
});

describe('what is no HTTP request gets the error object', () => {
  type Row = [name: string, bytes: string, status?: number, code?: string];
  const head = (lines: string) => `PUT / HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n`;
  test.each<Row>([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['no Host', 'GET /cases/1 HTTP/1.1\r\n\r\n'],
    ...['a b', 'a/b', 'a?b', 'a#b', 'a@b', 'a:b', '[x]', '[::1', '::1', 'a\\b', '[::1]x'].map((host): Row => [
      `the host "${host}"`,
      `GET /cases/1 HTTP/1.${host.length % 2}\r\nHost: ${host}\r\n\r\n`,
    ]),
    ['two hosts', head('Host: x')],
    ['two hosts in HTTP/1.0', 'GET /cases/1 HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['another version', 'GET /cases/1 HTTP/1.2\r\nHost: x\r\n\r\n'],
    ['HTTP/2.0', 'GET /cases/1 HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['no version', 'GET /cases/1\r\n\r\n'],
    ['two lengths', head('Content-Length: 1\r\nContent-Length: 2')],
    ['a length and chunks', head('Content-Length: 1\r\nTransfer-Encoding: chunked')],
    ['a bare header line', head('nonsense')],
    ['too large a header section', head(`X: ${'x'.repeat(17_000)}`), 431, 'request.header.too-large'],
  ])('%s, and closes the connection', async (_name, bytes, status = 400, code = 'request.malformed') => {
    const [response, ...others] = await sendRaw(api.server, `${bytes}GET /cases/1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect([response?.status, JSON.parse(response?.text ?? '')]).toMatchObject([status, { error_code: code }]);
    expect(others).toEqual([]);
    expect(response?.headers).toMatchObject({
      connection: 'close',
      date: expect.stringMatching(/^\w{3}, .* GMT$/),
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
    });
    if (response) expectConformance('GET', '/', response);
  });

  test('a malformed chunk in the body of an update', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const response = await sendOne(
      api.server,
      `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n` +
        'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
    );
    expect(response?.status).toBe(400);
    expect(JSON.parse(response?.text ?? '')).toMatchObject({ error_code: 'request.malformed' });
  });
});

describe('a request in an unusual but valid form gets the same response as any other', () => {
  type Row = [name: string, bytes: string, statuses: number[]];
  const get = (target: string, host = 'x') => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const known = [`http://any.example${settingPath}?q`, 'HTTPS://any.example:8443/cases/1', '/cases/1#part?a=b'];
  const odd = ['/cases/1?a=b?c', '/cases/1?%zz', '/cases/%zz%41?%zz'];
  const unknown = ['http://any.example', 'http://any.example?a=b', '/cases/http://any.example/1'];
  const hosts = ['any.example:80', 'any.example:', '192.0.2.1', '[2001:DB8::1]', '[::1]:80', ''];
  test.each<Row>([
    ...[...known, ...odd].map((target): Row => [`the target ${target}`, get(target), [401]]),
    ...unknown.map((target): Row => [`the target ${target}`, get(target), [404]]),
    ...hosts.map((host): Row => [`the host "${host}"`, get(settingPath, host), [401]]),
    ['HTTP/1.0', `GET ${settingPath} HTTP/1.0\r\n\r\n`, [401]],
    ['an expectation that is unknown', get(settingPath, 'x\r\nExpect: coffee'), [401]],
    ['an upgrade', get(settingPath, 'x\r\nConnection: upgrade\r\nUpgrade: websocket'), [401]],
    ['several at once', get('/a') + get('/b'), [404, 404]],
  ])('%s', async (_name, bytes, statuses) => {
    const responses = await sendRaw(api.server, bytes, undefined, statuses.length);
    expect(responses.map(({ status }) => status)).toEqual(statuses);
  });
});
