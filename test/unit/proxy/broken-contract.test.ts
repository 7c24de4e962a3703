import { once } from 'node:events';
import http from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { generateSecret } from '../../../src/domain/credential.ts';
import { settingPath } from '../../support/harness.ts';
import { respondWith, serveHttp } from '../../support/misbehaving-servers.ts';
import { withProxiedServer, withProxy } from '../../support/proxy.ts';

const key = generateSecret('api-key', 'uk');
const token = generateSecret('access-token', 'ca');
const json = { 'Content-Type': 'application/json' };
const documented = {
  ...json,
  'X-Request-Id': 'a',
  'Cache-Control': 'no-store',
  'RateLimit-Policy': '"credential";q=600;w=60',
  RateLimit: '"credential";r=599;t=60',
};

const text = '{"enabled":1}';
const notBoolean = /^response body: the body\/enabled must be boolean$/;
const bytes = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 * 1024, ' ');
test.each<[what: string, coding: string, body: Buffer, finding: RegExp]>([
  ['is decoded to be looked at', 'gzip', gzipSync(text), notBoolean],
  ['is decoded to be looked at', 'br', brotliCompressSync(text), notBoolean],
  ['is decoded to be looked at', 'deflate', deflateSync(text), notBoolean],
  ['is decoded to be looked at', 'gzip, br', brotliCompressSync(gzipSync(text)), notBoolean],
  ['is not looked at', 'x-own', Buffer.from(text), /not checked: its content coding x-own is unk/],
  ['is not looked at if malformed', 'gzip', Buffer.from(text), /not checked: it cannot be decoded: incorrect he/],
  ['is not looked at if it grows', 'gzip', gzipSync(bytes(17)), /not checked: it cannot be decoded: Cannot/],
  ['is not looked at if too large', 'identity', bytes(17), /not checked: it is larger than 16777216 bytes$/],
])('a coded response passes as it is, and %s: %s', async (_what, coding, body, finding) => {
  const headers = { ...documented, 'Content-Encoding': coding };
  const handler: http.RequestListener = (_request, response) => response.writeHead(200, headers).end(body);
  const { findings } = await withProxiedServer(handler, async ({ url }) => {
    const request = http.get(url + settingPath, { headers: { 'x-api-key': key } });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
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
      for (const path of [settingPath, '/cases/1', '/Cases/1/', '/other']) await fetch(url + path);
      await fetch(`${url}/cases/1`, { method: 'DELETE' });
    },
    { caseTarget: await serveHttp(server('cases')) },
  );
  expect(seen).toEqual([`api ${settingPath}`, 'cases /cases/1', 'cases /Cases/1/', 'api /other', 'cases /cases/1']);
});

test('a target that speaks no TLS where it should is told', async () => {
  const target = await serveHttp(respondWith(200, documented, '{}'));
  const { findings } = await withProxy(target.replace('http:', 'https:'), async ({ url }) => {
    expect((await fetch(url + settingPath, { headers: { 'x-api-key': key } })).status).toBe(503);
  });
  expect(findings()).toEqual([expect.stringMatching(/^response no response: .*(SSL|wrong version|EPROTO)/)]);
});
