import dns from 'node:dns';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, jest, test } from '@jest/globals';
import { freePort } from '../../../scripts/free-port.ts';
import { generateSecret } from '../../../src/domain/credential.ts';
import { expectConformance, settingPath } from '../../support/harness.ts';
import { cutOff, json, respondWith, serveBytes, serveHttp } from '../../support/misbehaving-servers.ts';
import { type RunningProxy, withProxiedServer, withProxiedSocket, withProxy } from '../../support/proxy.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const key = generateSecret('api-key', 'uk');
const token = generateSecret('access-token', 'ca');
const documented = {
  ...json,
  'X-Request-Id': 'a',
  'Cache-Control': 'no-store',
  'RateLimit-Policy': '"credential";q=600;w=60',
  RateLimit: '"credential";r=599;t=60',
};

const wrong = '{"enabled":1}';
const notBoolean = /^response body: the body\/enabled must be boolean$/;
const bytes = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 * 1024, ' ');
test.each<[what: string, coding: string, body: Buffer, finding: RegExp]>([
  ['is decoded to be looked at', 'gzip', gzipSync(wrong), notBoolean],
  ['is decoded to be looked at', 'br', brotliCompressSync(wrong), notBoolean],
  ['is decoded to be looked at', 'deflate', deflateSync(wrong), notBoolean],
  ['is decoded to be looked at', 'gzip, br', brotliCompressSync(gzipSync(wrong)), notBoolean],
  ['is not looked at', 'x-own', Buffer.from(wrong), /not checked: its content coding x-own is unk/],
  ['is not looked at if malformed', 'gzip', Buffer.from(wrong), /not checked: it cannot be decoded: incorrect he/],
  ['is not looked at if it grows', 'gzip', gzipSync(bytes(17)), /not checked: it cannot be decoded: Cannot/],
  ['is not looked at if too large', 'identity', bytes(17), /not checked: it is larger than 16777216 bytes$/],
])('a coded response passes as it is, and %s: %s', async (_what, coding, body, finding) => {
  const headers = { ...documented, 'Content-Encoding': coding };
  const handler: http.RequestListener = (_request, response) => response.writeHead(200, headers).end(body);
  const { findings } = await withProxiedServer(handler, async ({ url }) => {
    const request = http.get(url + settingPath, { headers: { 'x-api-key': key } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect((await buffer(response)).equals(body)).toBe(true);
  });
  expect(findings()).toEqual([expect.stringMatching(finding)]);
});

test('no secret is reported, wherever it stands', async () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
  const own = 'a-secret-of-another-server-0123456789';
  const body = JSON.stringify({ enabled: true, [own]: 1, [key]: 1, [token]: 1, [key.slice(0, 20)]: 1 });
  const target = await serveHttp(respondWith(200, { ...documented, 'X-Request-Id': token }, body));
  const { records } = await withProxy(target, async ({ url }) => {
    await fetch(`${url}${settingPath}?token=${token}`, { headers: { 'x-api-key': own, 'x-request-id': key } });
    await fetch(`${url}/cases/${token}`, { headers: { authorization: own } });
    await fetch(`${url}/${key}?token=${own}`);
    await fetch(`${url}/x${key.replaceAll('_', '%5F')}/key${key.toUpperCase()}/${jwt}`);
  });
  const reported = JSON.stringify(records);
  expect(reported).toContain('X_API_KEY');
  expect(reported).toContain('"path":"/cases/dat_ca_[hidden]"');
  for (const secret of [own, key, key.toUpperCase(), token, jwt]) expect(reported).not.toContain(secret.slice(7, 20));
});

test('case requests go to their own target, whatever is wrong with them', async () => {
  const seen: string[] = [];
  const server =
    (name: string): http.RequestListener =>
    (request, response) => {
      seen.push(`${name} ${request.url ?? ''}`);
      response.end();
    };
  await withProxy(
    await serveHttp(server('api')),
    async ({ url }) => {
      for (const path of [settingPath, '/cases/1', '/Cases/1/', '//cases', '/organisations']) await fetch(url + path);
      for (const path of ['/cases/1', settingPath]) await fetch(url + path, { method: 'DELETE' });
    },
    { caseTarget: await serveHttp(server('cases')) },
  );
  expect(seen).toEqual([
    ...[`api ${settingPath}`, 'cases /cases/1', 'cases /Cases/1/', 'cases //cases', 'api /organisations'],
    ...['cases /cases/1', `api ${settingPath}`],
  ]);
});

const headers = { 'x-api-key': 'a' };

const head = (status: string) => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;

/** Asks through a proxy; checks its own response, the documented 503, against the document. */
async function refused({ url }: RunningProxy): Promise<string> {
  const response = await fetch(url + settingPath, { headers });
  const text = await response.text();
  expect(response.status).toBe(503);
  expectConformance('GET', settingPath, { status: 503, headers: Object.fromEntries(response.headers), text });
  return (JSON.parse(text) as { error_details: { proxy: string } }).error_details.proxy;
}

test('a target with several addresses, none of which can be reached, is told with all of them', async () => {
  const port = await freePort();
  await withProxy(`http://several.invalid:${port}`, async (proxy) => {
    const lookup = jest.spyOn(dns, 'lookup') as unknown as jest.Mock<(...parameters: unknown[]) => void>;
    lookup.mockImplementation((_host, _options, done) => {
      const addresses = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
      (done as (error: null, found: typeof addresses) => void)(null, addresses);
    });
    try {
      expect(await refused(proxy)).toBe(
        `connect ECONNREFUSED 127.0.0.2:${port}, connect ECONNREFUSED 127.0.0.3:${port}`,
      );
    } finally {
      lookup.mockRestore();
    }
  });
});

test('a target that responds before it has the whole request is not kept waiting for the rest', async () => {
  let closed = false;
  const handler: http.RequestListener = (request, response) => {
    request.resume().socket.once('close', () => (closed = true));
    response.writeHead(413).end();
  };
  await withProxiedServer(handler, async ({ url }) => {
    const request = http.request(url + settingPath, { method: 'PUT', headers: { 'Content-Length': 1_000_000 } });
    request.on('error', () => undefined);
    request.write('{');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    await until('the connection is closed', () => closed);
    request.destroy();
  });
});

test('a connection of a client goes on after a large body that nobody has taken', async () => {
  const put = `PUT ${settingPath} HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n${' '.repeat(5_000_000)}`;
  const destroying = (socket: Socket) => socket.once('data', () => socket.destroy());
  await withProxiedSocket(destroying, async ({ url }) => {
    const responses = await sendRaw(url, put + put, 5000);
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
  });
});

type Broken = [what: string, serve: () => Promise<string>, reason: RegExp, timeoutSeconds?: number];
test.each<Broken>([
  ['cannot be reached', async () => `http://127.0.0.1:${await freePort()}`, /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/],
  ['speaks no TLS', async () => (await serveHttp(() => undefined)).replace('http:', 'https:'), /SSL|version|EPROTO/],
  ['closes at once', () => serveBytes(cutOff('')), /socket hang up/],
  ['sends no HTTP', () => serveBytes(cutOff('nonsense\r\n\r\n')), /Parse Error/],
  ['sends a status that is none', () => serveBytes(cutOff(head('099 Low'))), /Invalid status code|Parse Error/],
  ['sends a malformed reason', () => serveBytes(cutOff(head('200 O\x01K'))), /Invalid character|Parse Error/],
  ['is silent', () => serveBytes(() => undefined), /^the target has been silent for 0\.3 s$/, 0.3],
])(
  'a target that %s has not responded, which is told to the client and reported',
  async (_what, serve, reason, timeoutSeconds = 30) => {
    let told = '';
    const ask = async (proxy: RunningProxy) => {
      told = await refused(proxy);
    };
    const { findings, records } = await withProxy(await serve(), ask, { timeoutSeconds });
    expect(told).toMatch(reason);
    expect(findings()).toEqual([`response no response: ${told}`]);
    expect(records.at(-1)).toMatchObject({ type: 'response', status: null, operation_id: 'getVerificationSetting' });
  },
);

test('a response that breaks off breaks off for the client too, and is reported', async () => {
  const half = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"enab';
  const { findings } = await withProxiedSocket(cutOff(half), async ({ url }) => {
    const response = await fetch(url + settingPath, { headers });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
  expect(findings()).toEqual([expect.stringMatching(/^response no response: the response broke off: /)]);
});

test.each(['while it sends', 'while it waits', 'while it reads'])(
  'a client that disconnects %s is no fault of the target, which is told so',
  async (when) => {
    let isAsked = false;
    const gone: string[] = [];
    const handler: http.RequestListener = (request, response) => {
      isAsked = true;
      response.on('close', () => gone.push(response.writableFinished ? 'responded' : 'gone'));
      if (when === 'while it reads') response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"ena');
      request.resume();
    };
    const { findings } = await withProxiedServer(handler, async ({ url }) => {
      const method = when === 'while it sends' ? 'PUT' : 'GET';
      const request = http.request(url + settingPath, {
        method,
        headers: { ...headers, ...json, ...(method === 'PUT' && { 'Content-Length': 16 }) },
      });
      request.on('error', () => undefined);
      if (method === 'PUT') request.write('{"ena');
      else request.end();
      if (when === 'while it reads') {
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        response.on('error', () => undefined);
        await once(response, 'data');
      } else await until('the target is asked', () => isAsked);
      request.destroy();
      await until('the target is told', () => gone.length > 0);
    });
    expect(findings()).toEqual([]);
    expect(gone).toEqual(['gone']);
  },
);

test('a proxy before itself says so, and does not ask itself for ever', async () => {
  let back = '';
  const handler: http.RequestListener = (request, response) => {
    const again = http.get(new URL(request.url ?? '', back), { headers: request.headers });
    again.on('response', (received) => received.pipe(response.writeHead(received.statusCode ?? 0, received.headers)));
  };
  const { findings } = await withProxiedServer(handler, async (proxy) => {
    back = proxy.url;
    expect(await refused(proxy)).toBe('the target is this proxy itself');
  });
  expect(findings()).toEqual(['response no response: the target is this proxy itself']);
});
