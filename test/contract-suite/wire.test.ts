/** The bytes of requests and responses, and what a client for HTTP usually keeps to itself of them. */
import { execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpClient, type HttpClient } from '../../contract/run/http-client.ts';
import type { Connection } from '../../contract/run/model.ts';
import { curlOf } from '../../contract/run/shown-exchange.ts';
import type { Wire } from '../../contract/run/wire.ts';
import { eachRun } from '../support/contract.ts';
import { cutOff, json, responding } from '../support/misbehaving-servers.ts';

const run = eachRun();
let client: HttpClient;
beforeEach(() => {
  client = createHttpClient(30);
});
afterEach(() => {
  client.close();
});

/** What a server of node:http has read of a request. */
interface Seen {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly trailers: object;
  readonly body: string;
  readonly port?: number | undefined;
}

/** A server of node:http that notes what it reads, and closes connections that it is asked to close. */
async function noting(): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const url = await run.serve((request, response) => {
    const respond = (body: string) => {
      const { method, url: path, httpVersion, trailers, socket } = request;
      seen.push({ method, url: path, httpVersion, trailers, body, port: socket.remotePort });
      response.end(`the response to ${path ?? ''}`);
    };
    // One that is broken off is not noted.
    text(request).then(respond, () => undefined);
  });
  return { url, seen };
}

const put = (url: string, wire: Wire, body = '{"enabled":true}') =>
  client.send(`${url}/a?b`, { method: 'PUT', path: '/a?b', body, wire });

const another = { method: 'GET', path: '/another' };

describe('a request', () => {
  test.each<[wire: Wire, more?: Partial<Seen>]>([
    [{}],
    [{ chunked: { bytes: 1 } }],
    [{ chunked: { bytes: 7, extension: ';a="b"', trailer: 'X-Trailer: 1\r\n' } }, { trailers: { 'x-trailer': '1' } }],
    [{ version: '1.0' }, { httpVersion: '1.0' }],
    [{ writes: 'in small pieces' }],
    [{ writes: 'head before body' }],
    [{ writes: 'first byte alone' }],
    [{ connection: 'new' }],
    [{ connection: 'closing' }],
    [{ connection: 'upgradable' }],
    [{ version: '1.0', connection: 'kept alive' }, { httpVersion: '1.0' }],
    [{ chunked: { bytes: 10, zeros: '00', coding: 'CHUNKED' } }],
    [{ writes: 'body late' }],
    [{ emptyLine: true }],
    [{ afterBroken: 'request' }],
    [{ afterBroken: { method: 'PUT', path: '/b', headers: [['X-Other', '1']], body: '{}   ' } }],
    [{ behind: [another] }],
    [{ behind: [another, { method: 'GET', path: '/b', headers: [['X-Other', '1']] }, another] }],
    [{ expectContinue: '100-continue' }],
    [{ expectContinue: '100-continue', writes: 'in small pieces', connection: 'new' }],
  ])('is read as it was meant: %j', async (wire, more = {}) => {
    const { url, seen } = await noting();
    // Only a target that keeps connections is sent two requests at once.
    const { behind = [] } = wire;
    if (behind.length > 0) await put(url, {});
    const { status, text } = await put(url, wire);
    expect([status, text]).toEqual([200, 'the response to /a?b']);
    const whole = { method: 'PUT', url: '/a?b', httpVersion: '1.1', trailers: {}, body: '{"enabled":true}', ...more };
    expect(seen.at(-1)).toMatchObject(whole);
    expect(seen.slice(1, -1).map((each) => each.url)).toEqual(behind.map(({ path }) => path));
    expect(seen).toHaveLength(behind.length > 0 ? behind.length + 2 : 1);
  });

  test('names the whole address if it is wanted', async () => {
    const { url, seen } = await noting();
    await put(url, { absolute: true });
    expect(seen[0]?.url).toBe(`${url}/a?b`);
  });

  test('is sent in one chunk if a header says that it is chunked', async () => {
    const { url, seen } = await noting();
    const headers = [['transfer-encoding', 'chunked'] as const];
    await client.send(url, { method: 'PUT', path: '', body: 'a body', headers });
    expect(seen[0]?.body).toBe('a body');
  });

  test.each<[next: Wire, first: Wire, isKept: boolean]>([
    [{}, {}, true],
    [{ behind: [another] }, { expectContinue: '100-continue' }, true],
    [{ connection: 'new' }, {}, false],
    [{}, { connection: 'upgradable' }, false],
    [{}, { connection: 'closing' }, false],
    [{}, { version: '1.0' }, false],
  ])('uses the connection again: %j after %j: %s', async (next, first, isKept) => {
    const { url, seen } = await noting();
    await put(url, first);
    await put(url, next);
    expect(seen.at(-1)?.port === seen[0]?.port).toBe(isKept);
  });
});

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a response', () => {
  test.each<[name: string, bytes: string, status: number, body: string]>([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 200, 'ok'],
    ['with space around values', 'HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\nok', 200, 'ok'],
    ['in chunks', `${chunked}1;a=b\r\no\r\n1\r\nk\r\n0\r\nX-T: 1\r\n\r\n`, 200, 'ok'],
    ['after an interim one', 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['with another after it', 'HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 204, ''],
  ])('is read: %s', async (_name, bytes, status, body) => {
    const url = await run.serveBytes(responding(bytes));
    for (let again = 0; again < 2; again += 1) {
      const response = await put(url, {});
      expect([response.status, response.text]).toEqual([status, body]);
    }
  });

  test.each(['HTTP/1.0 200 OK\r\n\r\nok', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok'])(
    'is read to the end of the connection: %j',
    async (bytes) => {
      const response = await put(await run.serveBytes(cutOff(bytes)), {});
      expect([response.status, response.text]).toEqual([200, 'ok']);
    },
  );

  const ok = 'HTTP/1.1 200 OK\r\n';
  const closedEarly = /the response broke off: the connection was closed before its end$/;
  test.each<[message: RegExp, bytes: string]>([
    [/b: the response is not HTTP$/, 'SSH-2.0-OpenSSH_9.6\r\n'],
    [/b: the target switches to another protocol$/, 'HTTP/1.1 101 Switching\r\n\r\n'],
    [/b: the target closed the connection$/, ''],
    [/b: the target closed the connection$/, 'HTTP/1.1 100 Continue\r\n\r\n'],
    [/b: the head of the response is too large$/, `${ok}X: ${'x'.repeat(90_000)}\r\n\r\n`],
    [/b: a header line is malformed$/, `${ok}X : 1\r\n\r\n`],
    [/b: a header line is malformed$/, `${ok}X: \u0001\r\n\r\n`],
    [/b: a line ends without CR$/, `${ok}X: 1\n\r\n`],
    [/: the length of its body is ambiguous$/, `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!`],
    [/: the length of its body is ambiguous$/, `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    [/: the length of its body is ambiguous$/, `${ok}Content-Length: -2\r\n\r\n`],
    [/the response broke off: it has more bytes than its head announces$/, `${ok}Content-Length: 2\r\n\r\nok and more`],
    [closedEarly, `${ok}Content-Length: 3\r\n\r\nok`],
    [closedEarly, `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`],
    [/the response broke off: the size of a chunk is malformed$/, `${ok}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`],
    [/the response broke off: a chunk is longer than its size$/, `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nok\r\n`],
    [/the response broke off: it is larger than 64 MiB$/, `${ok}Transfer-Encoding: chunked\r\n\r\n4000001\r\nok`],
  ])('is refused, %s: %j', async (message, bytes) => {
    await expect(put(await run.serveBytes(cutOff(bytes)), {})).rejects.toThrow(message);
  });

  test('comes in time, or is none', async () => {
    client = createHttpClient(0.05);
    const url = await run.serveBytes(responding('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok'));
    await expect(put(url, {})).rejects.toThrow('no whole response within 0.05 s');
  });

  test('comes in time if only this process has been held up meanwhile', async () => {
    client = createHttpClient(0.2);
    const url = await run.serveBytes((socket) =>
      socket.once('data', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        socket.write(empty);
      }),
    );
    expect((await put(url, {})).status).toBe(200);
  });

  test('that comes without 100 Continue is the response, and the body is not sent', async () => {
    const sent: string[] = [];
    const url = await run.serveBytes((socket) =>
      socket.on('data', (data) => {
        sent.push(data.toString());
        socket.write('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    expect((await put(url, { expectContinue: '100-continue' })).status).toBe(417);
    expect((await put(url, { expectContinue: '100-continue' })).status).toBe(417);
    expect(sent.join('')).not.toContain('enabled');
    expect(sent).toHaveLength(2);
  });
});

const empty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const last = empty.replace('OK\r\n', 'OK\r\nConnection: close\r\n');

test('a target may close the connection after the response to the request before', async () => {
  let connections = 0;
  const url = await run.serveBytes((socket) => {
    connections += 1;
    socket.once('data', () => {
      socket.write(empty);
      socket.once('data', () => socket.end(last));
    });
  });
  await put(url, {});
  expect((await put(url, { behind: [another] })).status).toBe(200);
  expect(connections).toBe(2);
});

test('a target that closes each connection is sent one request a connection', async () => {
  let requests = 0;
  const url = await run.serveBytes((socket) =>
    socket.on('data', (data) => {
      requests += data.toString().split('HTTP/1.1').length - 1;
      socket.end(last);
    }),
  );
  await put(url, {});
  await put(url, { behind: [another] });
  expect(requests).toBe(2);
});

test('a request whose expectation is ignored is sent all the same', async () => {
  const url = await run.serveBytes((socket) => {
    let read = '';
    socket.on('data', (data) => {
      if ((read += data.toString()).endsWith('}')) socket.end('HTTP/1.0 200 OK\r\n\r\nok');
    });
  });
  expect((await put(url, { expectContinue: '100-continue' })).text).toBe('ok');
});

test('an idle connection that the target has closed is no fault', async () => {
  let connections = 0;
  const url = await run.serveBytes((socket) => {
    connections += 1;
    let responses = 0;
    socket.on('data', () => {
      // As a server whose time for idle connections ends just when the next request comes.
      if ((responses += 1) > 1) socket.destroy();
      else socket.write(empty);
    });
  });
  for (let again = 0; again < 3; again += 1) expect((await put(url, {})).status).toBe(200);
  expect(connections).toBe(3);
});

test.each<[string, number, Wire, number]>([
  ['in pieces is sent again', 2, { writes: 'in small pieces' }, 3],
  ['in pieces has no response if that happens each time', 9, { writes: 'in small pieces' }, 3],
  ['in one piece has no response', 1, { connection: 'new' }, 1],
])('a request whose connection the target resets %s', async (_name, resets, wire, sent) => {
  let connections = 0;
  const url = await run.serveBytes((socket) => {
    connections += 1;
    if (connections <= resets) socket.once('data', () => socket.resetAndDestroy());
    else socket.on('data', (data) => data.toString().endsWith('}') && socket.end(last));
  });
  const status = await put(url, wire).then(
    (response) => response.status,
    () => 'none',
  );
  expect([status, connections]).toEqual([resets < sent ? 200 : 'none', sent]);
});

describe('a request whose first line no HTTP client writes', () => {
  let url: string;
  beforeEach(async () => {
    const origin = await run.serve((request, response) => {
      void text(request).then((body) => {
        response.setHeader('X-Twice', ['a', 'b']);
        response.end(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${request.httpVersion} ${body}`)]));
      });
    });
    url = `${origin}/a`;
  });

  const put = { method: 'PUT', path: '/a', body: 'PUT /a HTTP/1.1\r\nnot replaced' };

  test('is sent with it, and the rest as it is', async () => {
    const requestLine = 'PUT /a HTTP/1.0';
    const { status, bytes, fieldLines } = await client.send(url, { ...put, requestLine });
    expect([status, bytes?.subarray(1).toString()]).toEqual([200, `1.0 ${put.body}`]);
    expect(bytes?.[0]).toBe(0xff);
    expect(fieldLines?.['x-twice']).toEqual(['a', 'b']);
    expect((await client.send(url, put)).bytes?.subarray(1).toString()).toBe(`1.1 ${put.body}`);
  });

  test('may be none of HTTP', async () => {
    expect((await client.send(url, { method: 'GET', path: '/a', requestLine: 'NONSENSE' })).status).toBe(400);
  });

  const shown = (requestLine: string, at = url) => {
    const request = { method: 'GET', path: '/a', requestLine, headers: [['X-A', "it's"]] as const };
    return curlOf({ request, url: at }, { base_url: url, case_base_url: url });
  };

  test('is repeated by the shown command', async () => {
    expect((await promisify(execFile)('bash', ['-c', shown('NONSENSE')])).stdout).toMatch(/^HTTP\/1.1 400 /);
    expect(shown('NONSENSE', 'https://api.example')).toMatch(/ \| openssl s_client -quiet -connect api.example:443/);
  });

  test('of HTTP 1.0 is shown as an option', () => {
    expect(shown('GET /a HTTP/1.0')).toContain(' --http1.0 ');
  });
});

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';

test('a body that follows the head of a response to HEAD is part of that response', async () => {
  const url = await run.serveBytes(responding(`${head}{}`));
  const { status, text } = await client.send(url, { method: 'HEAD', path: '' });
  expect([status, text]).toEqual([200, '{}']);
});

test('bytes that come too late for that are told of the response before', async () => {
  const url = await run.serveBytes((socket) =>
    socket.once('data', () => {
      socket.write(head);
      socket.once('data', () => socket.write(`{}${head}{}`));
    }),
  );
  await client.send(url, { method: 'HEAD', path: '' });
  // Until the connection is free for the next request.
  await sleep(50);
  await expect(client.send(`${url}/next`, { method: 'GET', path: '' })).rejects.toThrow(
    `GET ${url}/next: the response before on the connection, to HEAD ${url}, has more bytes than its head announces`,
  );
});

describe('a compressed response', () => {
  const plain = '{"label":"köder"}';
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, 'x-gzip': (same: string) => same };

  /** The text of a response that is always compressed. */
  async function received(coding: keyof typeof codings, accepted: string | undefined, connection?: Connection) {
    const url = await run.serve((_request, response) =>
      response.writeHead(200, { ...json, 'Content-Encoding': coding }).end(codings[coding](plain)),
    );
    client = createHttpClient(5, undefined, connection);
    const headers = accepted === undefined ? [] : [['accept-encoding', accepted] as const];
    return (await client.send(url, { method: 'GET', path: '', headers })).text;
  }

  test.each<[keyof typeof codings, string]>([
    ['gzip', 'br;q=0.5, GZIP'],
    ['deflate', 'deflate'],
    ['br', '*'],
  ])('by %s is read if it was asked for: %s', async (coding, accepted) => {
    expect(await received(coding, accepted)).toBe(plain);
  });

  test('is read if a header for the gateway asks for it', async () => {
    expect(await received('gzip', undefined, { headers: [['Accept-Encoding', 'gzip']], insecure: false })).toBe(plain);
  });

  test.each([undefined, 'br'])('stays as it came if that is not asked for: %s', async (accepted) => {
    expect(await received('gzip', accepted)).not.toBe(plain);
    await expect(received('x-gzip', accepted)).rejects.toThrow('its body is not in the coding x-gzip that it names');
  });
});
