/** What is served to anybody beside operations: the documentation, as it was built, and thumbnails by their names. */
import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { newThumbnailName } from '../../../src/files/thumbnail-name.ts';
import { writeDocsInFolder } from '../../support/docs.ts';
import { startHarness } from '../../support/harness.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const policy = "default-src 'none'; img-src data:";
const ownPolicy = "default-src 'none'; frame-ancestors 'none'";
const page = Buffer.from(`<!doctype html>${'<p>A page</p>'.repeat(1000)}`);
const json = Buffer.from('{"openapi": "3.0.3"}');
const style = Buffer.from('p { margin: 0 }'.repeat(100));
const index = Buffer.from([0, 1, 2, 255]);
const picture = Buffer.from('RIFF\0\0\0\0WEBP');
const files = [
  { path: 'index.html', content: page, policy },
  { path: 'openapi.json', address: '/openapi.json', content: json },
  { path: '_astro/style.4f2a.css', content: style },
  { path: 'pagefind/index/en.pf_index', content: index },
];

const folder = await makeTemporaryFolder();
const thumbnailFolder = join(folder, 'thumbnails');
const name = newThumbnailName();
const thumbnail = `/thumbnails/${name}`;
await mkdir(thumbnailFolder);
await writeFile(join(thumbnailFolder, name), picture);
await writeFile(join(thumbnailFolder, 'listed.webp'), 'listed');
await writeFile(join(folder, 'secret.webp'), 'secret');
const api = await startHarness({ docsFolder: await writeDocsInFolder(files), thumbnailFolder });

/** Gets the content; supertest undoes its compression. */
async function get(path: string, more: Record<string, string> = {}) {
  const asked = supertest(api.server).get(path).responseType('blob');
  const response = await asked.set({ 'Accept-Encoding': 'identity', ...more });
  const headers = response.headers as Record<string, string>;
  return { status: response.status, headers, content: response.body as Buffer };
}

const documents: [path: string, type: string, content: Buffer, cached: string][] = [
  ['/docs/', 'text/html; charset=utf-8', page, 'no-cache'],
  ['/docs/index.html', 'text/html; charset=utf-8', page, 'no-cache'],
  ['/openapi.json', 'application/json', json, 'no-cache'],
  ['/docs/_astro/style.4f2a.css', 'text/css; charset=utf-8', style, 'public, max-age=31536000, immutable'],
];

describe.each([...documents, [thumbnail, 'image/webp', picture, 'private, max-age=31536000, immutable'] as const])(
  '%s',
  (path, type, whole, cached) => {
    test('is served as it is, to whoever asks', async () => {
      const { status, headers, content } = await get(path);
      expect([status, content.equals(whole)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': cached,
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'content-security-policy': type.includes('html') ? `${policy}; frame-ancestors 'none'` : ownPolicy,
        etag: expect.stringMatching(/^W\/"([\w-]{43}|c-[0-9a-f]+)"$/),
        'x-request-id': expect.any(String),
      });
    });

    test('is not sent again to a client that has it, however it was compressed', async () => {
      const { headers } = await get(path, { 'Accept-Encoding': 'br' });
      const again = await get(path, { 'If-None-Match': headers['etag'] ?? '' });
      expect([again.status, again.content.length]).toEqual([304, 0]);
      for (const header of ['etag', 'cache-control', 'content-security-policy'])
        expect(again.headers[header]).toBe(headers[header]);
      expect((await get(path, { 'If-None-Match': 'W/"other"' })).status).toBe(200);
    });

    test('responds to HEAD with the headers of GET', async () => {
      for (const coding of ['br', 'identity']) {
        const { status, headers, text } = await supertest(api.server).head(path).set('Accept-Encoding', coding);
        expect([status, text]).toEqual([200, undefined]);
        const got = await get(path, { 'Accept-Encoding': coding });
        for (const header of ['content-encoding', 'content-length'])
          expect((headers as Record<string, string>)[header]).toBe(got.headers[header]);
        if (coding === 'identity') expect(got.headers['content-length']).toBe(String(whole.length));
      }
    });

    test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('does not take %s', async (method) => {
      const { status, headers, body } = await api.call(method, path);
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
      expect(body).toMatchObject({ error_code: 'request.method-not-allowed' });
    });
  },
);

describe.each(documents)('%s', (path, _type, whole) => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ])('is compressed for a client that accepts %s', async (accepted, coding) => {
    const { headers, content } = await get(path, { 'Accept-Encoding': accepted });
    expect([headers['content-encoding'], headers['vary']]).toEqual([coding, 'Accept-Encoding']);
    expect(content.equals(whole)).toBe(true);
  });
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
  ...[`/thumbnails/${newThumbnailName()}`, `/Thumbnails/${name}`, `${thumbnail}/`, thumbnail.toUpperCase()],
  ...['/thumbnails', '/thumbnails/', '/thumbnails/listed.webp', '/thumbnails/../secret.webp'],
  '/thumbnails/..%2fsecret.webp',
])('nothing else is served: %s', async (path) => {
  const { status, body, headers } = await api.call('GET', path);
  expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  expect(body).toMatchObject({ error_code: 'request.not-found' });
});

test('the documentation stays what it was at the start, whatever becomes of its files; a file that was cut off is none', async () => {
  const other = await writeDocsInFolder(files);
  const { server } = await startHarness({ docsFolder: other });
  truncateSync(`${other}/docs.bin`, 10);
  const cut = await startHarness({ docsFolder: other });
  expect((await supertest(cut.server).get('/docs/')).status).toBe(500);
  await rm(other, { recursive: true });
  for (const [path] of documents) expect((await supertest(server).get(path)).status).toBe(200);
});

test('without built documentation, or thumbnails, their paths are unknown like any other', async () => {
  const bare = await startHarness();
  for (const path of [...documents.map(([path]) => path), thumbnail])
    expect((await bare.call('GET', path)).status).toBe(404);
});

test('a thumbnail is not named in the log', async () => {
  await supertest(api.server).get(thumbnail);
  expect(api.log.join()).toContain('request completed');
  expect(api.log.join()).not.toContain(name.slice(0, 10));
});

test.each([
  ['a folder', (place: string) => mkdir(place)],
  ['a link to a file of the system', (place: string) => symlink('/etc/passwd', place)],
  ['a link to a thumbnail', (place: string) => symlink(name, place)],
  ['a link to nothing', (place: string) => symlink('nothing', place)],
  ['a pipe that nobody writes to', (place: string) => execFileSync('mkfifo', [place])],
  ['a file of more than 128 KiB', (place: string) => writeFile(place, Buffer.alloc(2 ** 17 + 1))],
])('a thumbnail that is no file of its own is not there: %s', async (_what, make) => {
  const unknown = newThumbnailName();
  await make(join(thumbnailFolder, unknown));
  expect((await api.call('GET', `/thumbnails/${unknown}`)).status).toBe(404);
});

test('the folder of thumbnails may be a link, as one to a shared disk is', async () => {
  const link = join(await makeTemporaryFolder(), 'linked');
  await symlink(thumbnailFolder, link);
  const linked = await startHarness({ thumbnailFolder: link });
  expect((await supertest(linked.server).get(thumbnail)).status).toBe(200);
});
