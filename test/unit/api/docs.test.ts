import { truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { newThumbnailName } from '../../../src/files/thumbnail-name.ts';
import { writeDocsInFolder } from '../../support/docs.ts';
import { startHarness } from '../../support/harness.ts';

const policy = "default-src 'none'; img-src data:";
const page = Buffer.from(`<!doctype html>${'<p>A page</p>'.repeat(1000)}`);
const json = Buffer.from('{"openapi": "3.0.3"}');
const style = Buffer.from('p { margin: 0 }'.repeat(100));
const index = Buffer.from([0, 1, 2, 255]);
const files = [
  { path: 'index.html', content: page, policy },
  { path: 'openapi.json', address: '/openapi.json', content: json },
  { path: '_astro/style.4f2a.css', content: style },
  { path: 'pagefind/index/en.pf_index', content: index },
];

const api = await startHarness({ docsFolder: await writeDocsInFolder(files) });

/** Gets the content; supertest undoes its compression. */
async function get(path: string, more: Record<string, string> = {}) {
  const asked = supertest(api.server).get(path).responseType('blob');
  const response = await asked.set({ 'Accept-Encoding': 'identity', ...more });
  const headers = response.headers as Record<string, string>;
  return { status: response.status, headers, content: response.body as Buffer };
}

const served: [path: string, type: string, content: Buffer][] = [
  ['/docs/', 'text/html; charset=utf-8', page],
  ['/docs/index.html', 'text/html; charset=utf-8', page],
  ['/openapi.json', 'application/json', json],
  ['/docs/_astro/style.4f2a.css', 'text/css; charset=utf-8', style],
];

describe.each(served)('%s', (path, type, whole) => {
  test('is served as it was built', async () => {
    const { status, headers, content } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': path.includes('_astro') ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'Accept-Encoding',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['etag']).toMatch(/^W\/"[\w-]{43}"$/);
    expect(headers['x-request-id']).toBeDefined();
    expect(content.equals(whole)).toBe(true);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ])('is compressed for a client that accepts %s', async (accepted, coding) => {
    const { headers, content } = await get(path, { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(content.equals(whole)).toBe(true);
  });

  test('is not sent again to a client that has it, however it was compressed', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const etag = headers['etag'] ?? '';
    const again = await get(path, { 'If-None-Match': etag });
    expect([again.status, again.headers['etag'], again.content.length]).toEqual([304, etag, 0]);
    expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
    expect((await get(path, { 'If-None-Match': 'W/"other"' })).status).toBe(200);
  });

  test('responds to HEAD with the headers of GET', async () => {
    const { status, headers, text } = await supertest(api.server).head(path).set('Accept-Encoding', 'br');
    expect([status, headers['content-encoding'], text]).toEqual([200, 'br', undefined]);
    const raw = await supertest(api.server).get(path).set('Accept-Encoding', 'br');
    expect(headers['content-length']).toBe((raw.headers as Record<string, string>)['content-length']);
    const plain = await supertest(api.server).head(path).set('Accept-Encoding', 'identity');
    expect(plain.headers).toMatchObject({ 'content-length': String(whole.length) });
  });

  test.each(['post', 'put', 'delete', 'options'] as const)('does not take %s', async (method) => {
    const response = await supertest(api.server)[method](path);
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(response.body).toMatchObject({ error_code: 'request.method-not-allowed' });
  });
});

test('the page has its own policy, and the document that of the service', async () => {
  expect((await get('/docs/')).headers['content-security-policy']).toBe(`${policy}; frame-ancestors 'none'`);
  const own = "default-src 'none'; frame-ancestors 'none'";
  expect((await get('/openapi.json')).headers['content-security-policy']).toBe(own);
});

test('what is compressed already is sent as it is', async () => {
  const { headers, content } = await get('/docs/pagefind/index/en.pf_index', { 'Accept-Encoding': 'br' });
  expect([headers['content-encoding'], content]).toEqual([undefined, index]);
});

test('the folder without its slash leads to it, behind a prefix too', async () => {
  const { status, headers } = await supertest(api.server).get('/docs');
  expect([status, headers['location']]).toEqual([308, 'docs/']);
  expect((await supertest(api.server).post('/docs')).status).toBe(405);
});

test.each([
  ...['/Docs/', '/docs.json', '/index.html', '/docs/docs.json', '/docs/docs.bin', '/docs/../served-docs/docs.json'],
  ...['/docs/..%2fserved-docs/docs.json', '/docs/%2e%2e/package.json', '/docs/constructor'],
])('nothing else is served: %s', async (path) => {
  expect((await api.call('GET', path)).status).toBe(404);
});

test('stays what it was at the start, whatever becomes of its files', async () => {
  const other = await writeDocsInFolder(files);
  const bare = await startHarness({ docsFolder: other });
  await rm(other, { recursive: true });
  for (const [path] of served) expect((await supertest(bare.server).get(path)).status).toBe(200);
});

test('a file that was cut off is no documentation', async () => {
  const other = await writeDocsInFolder(files);
  truncateSync(`${other}/docs.bin`, 10);
  const bare = await startHarness({ docsFolder: other });
  expect((await supertest(bare.server).get('/docs/')).status).toBe(500);
});

test('without built documentation, or thumbnails, their paths are unknown like any other', async () => {
  const bare = await startHarness();
  const paths = [...served.map(([path]) => path), `/thumbnails/${newThumbnailName()}`];
  for (const path of paths) expect((await bare.call('GET', path)).status).toBe(404);
});
