import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { serveHttp } from '../../support/misbehaving-servers.ts';
import { withProxiedServer, withProxy } from '../../support/proxy.ts';
import { sendRaw } from '../../support/raw-http.ts';

interface Seen {
  readonly target: string;
  readonly fields: string[];
  readonly body: string;
}

/** Sends a request through a proxy, and gives what the server has seen of it and the client of the response. */
async function pass(
  base: string,
  options: http.RequestOptions & { headers: readonly string[] },
  body: string[] = [],
  responseHeaders: string[] = [],
): Promise<{ seen: Seen; response: IncomingMessage }> {
  let seen: Seen | undefined;
  let response: IncomingMessage | undefined;
  const handler: http.RequestListener = (request, responding) => {
    void readAll(request).then((text) => {
      const target = `${request.method ?? ''} ${request.url ?? ''}`;
      seen = { target, fields: linesOf(request.rawHeaders), body: text };
      responding.writeHead(200, 'Fine', responseHeaders).end('{}');
    });
  };
  await withProxy((await serveHttp(handler)) + base, async ({ url }) => {
    const request = http.request(url, options);
    for (const chunk of body) request.write(chunk);
    request.end();
    [response] = (await once(request, 'response')) as [IncomingMessage];
    await readAll(response);
  });
  if (!seen || !response) throw new Error('nothing has passed');
  return { seen, response };
}

/** The lines of header fields, as they were sent. */
function linesOf(rawHeaders: string[]): string[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : []));
}

const rawOf = (...lines: string[]) => lines.flatMap((line) => line.split(/: (.*)/).slice(0, 2));

async function readAll(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

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
