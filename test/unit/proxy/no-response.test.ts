import dns from 'node:dns';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { expectConformance, settingPath } from '../../support/harness.ts';
import { json, responding, cutOff } from '../../support/misbehaving-servers.ts';
import { type RunningProxy, withProxiedServer, withProxiedSocket, withProxy } from '../../support/proxy.ts';
import { freePort } from '../../../scripts/free-port.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

const headers = { 'x-api-key': 'a' };

/** Where a server that stands behind a proxy sends everything back to. */
let back = '';

/** Asks through a proxy; checks its own response, the documented 503, against the document. */
async function refused({ url }: RunningProxy): Promise<string> {
  const response = await fetch(url + settingPath, { headers });
  const text = await response.text();
  expect(response.status).toBe(503);
  expectConformance('GET', settingPath, { status: 503, headers: Object.fromEntries(response.headers), text });
  return (JSON.parse(text) as { error_details: { proxy: string } }).error_details.proxy;
}

test('a target that cannot be reached is told to the client and reported', async () => {
  const port = await freePort();
  let told = '';
  const { findings, records } = await withProxy(`http://127.0.0.1:${port}`, async (proxy) => {
    told = await refused(proxy);
  });
  expect(told).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
  expect(findings()).toEqual([`response no response: ${told}`]);
  expect(records.at(-1)).toMatchObject({ type: 'response', status: null, operation_id: 'getVerificationSetting' });
});

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
    while (!closed) await new Promise((resolve) => setTimeout(resolve, 10));
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

test.each<[string, string, RegExp]>([
  ['closes at once', '', /socket hang up/],
  ['sends no HTTP', 'nonsense\r\n\r\n', /Parse Error/],
  ['sends a status that is none', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n', /Invalid status code|Parse Error/],
  ['sends a malformed reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n', /Invalid character|Parse Error/],
])('a target that %s has not responded', async (_what, bytes, reason) => {
  const { findings } = await withProxiedSocket(cutOff(bytes), async (proxy) => {
    expect(await refused(proxy)).toMatch(reason);
  });
  expect(findings()).toEqual([expect.stringMatching(/^response no response: /)]);
});

test('a target that is silent has not responded in time', async () => {
  const { findings } = await withProxiedSocket(responding(''), refused, { timeoutSeconds: 0.3 });
  expect(findings()).toEqual(['response no response: the target has been silent for 0.3 s']);
});

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
