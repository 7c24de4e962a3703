/** What a client for HTTP usually keeps to itself: first lines, content codings and bytes after a response. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpClient, type HttpClient } from '../../contract/run/http-client.ts';
import type { Connection } from '../../contract/run/model.ts';
import { curlOf } from '../../contract/run/shown-exchange.ts';
import { eachRun } from '../support/contract.ts';
import { json, responding } from '../support/misbehaving-servers.ts';

const run = eachRun();
let client: HttpClient;
beforeEach(() => {
  client = createHttpClient(5);
});
afterEach(() => {
  client.close();
});

describe('a request whose first line no HTTP client writes', () => {
  let url: string;
  beforeEach(async () => {
    const origin = await run.serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('X-Twice', ['a', 'b']);
        response.end(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${request.httpVersion} ${chunks.join('')}`)]));
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
    return curlOf({ request, url: at, violations: [] }, { base_url: url, case_base_url: url }).curl;
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
  const text = '{"label":"köder"}';
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, 'x-gzip': (plain: string) => plain };

  /** The text of a response that is always compressed. */
  async function received(coding: keyof typeof codings, accepted: string | undefined, connection?: Connection) {
    const url = await run.serve((_request, response) =>
      response.writeHead(200, { ...json, 'Content-Encoding': coding }).end(codings[coding](text)),
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
    expect(await received(coding, accepted)).toBe(text);
  });

  test('is read if a header for the gateway asks for it', async () => {
    expect(await received('gzip', undefined, { headers: [['Accept-Encoding', 'gzip']], insecure: false })).toBe(text);
  });

  test.each([undefined, 'br'])('stays as it came if that is not asked for: %s', async (accepted) => {
    expect(await received('gzip', accepted)).not.toBe(text);
    await expect(received('x-gzip', accepted)).rejects.toThrow('its body is not in the coding x-gzip that it names');
  });
});
