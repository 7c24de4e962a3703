import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { curlOf } from '../../contract/run/shown-exchange.ts';
import { createHttpClient, type HttpClient } from '../../contract/run/http-client.ts';

describe('a request whose first line no HTTP client writes', () => {
  let server: Server;
  let client: HttpClient;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('X-Twice', ['a', 'b']);
        response.end(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${request.httpVersion} ${chunks.join('')}`)]));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
    client = createHttpClient(5);
  });
  afterAll(() => {
    client.close();
    server.close();
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
    expect(await client.send(url, { method: 'GET', path: '/a', requestLine: 'NONSENSE' })).toMatchObject({
      status: 400,
    });
  });

  test('is repeated by the shown command', async () => {
    const credentials = { base_url: url, case_base_url: url };
    const request = { method: 'GET', path: '/a', requestLine: 'NONSENSE', headers: [['X-A', "it's"]] as const };
    const { curl } = curlOf({ request, url, violations: [] }, credentials);
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(stdout).toMatch(/^HTTP\/1.1 400 /);
    const overTls = curlOf({ request, url: 'https://api.example', violations: [] }, credentials);
    expect(overTls.curl).toContain(' | openssl s_client -quiet -connect api.example:443');
  });

  test('of HTTP 1.0 is shown as an option', () => {
    const credentials = { base_url: url, case_base_url: url };
    const request = { method: 'GET', path: '/a', requestLine: 'GET /a HTTP/1.0' };
    expect(curlOf({ request, url, violations: [] }, credentials).curl).toContain(' --http1.0 ');
    expect(curlOf({ request: { method: 'GET', path: '/a' }, url, violations: [] }, credentials).curl).not.toContain(
      '1.0',
    );
  });
});
