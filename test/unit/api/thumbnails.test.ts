import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { newThumbnailName } from '../../../src/files/thumbnail-name.ts';
import { startHarness } from '../../support/harness.ts';
import { makeTemporaryFolder, TemporaryFolder } from '../../support/temporary-folder.ts';

const name = newThumbnailName();
const content = Buffer.from('RIFF\0\0\0\0WEBP');

const folder = await TemporaryFolder.make();
await mkdir(join(folder.path, 'thumbnails'));
await folder.write(join('thumbnails', name), content);
await folder.write('secret.webp', 'secret');
await folder.write(join('thumbnails', 'listed.webp'), 'listed');
const api = await startHarness({ thumbnailFolder: join(folder.path, 'thumbnails') });

const path = `/thumbnails/${name}`;
const other = `/thumbnails/${newThumbnailName()}`;

test('a thumbnail is given to whoever knows its name, to be kept for ever by them alone', async () => {
  const response = await supertest(api.server).get(path);
  const headers = response.headers as Record<string, string>;
  expect([response.status, response.body]).toEqual([200, content]);
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'content-length': String(content.length),
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
  expect(headers['x-request-id']).toBeDefined();
});

test('a thumbnail responds to HEAD with the headers of GET', async () => {
  const { status, headers, text } = await supertest(api.server).head(path);
  expect([status, headers['content-length'], text]).toEqual([200, String(content.length), undefined]);
});

test('a thumbnail is not sent again to a client that has it', async () => {
  const { headers } = await supertest(api.server).get(path);
  const etag = (headers as Record<string, string>)['etag'] ?? '';
  expect(etag).toMatch(/^W\/"c-[0-9a-f]+"$/);
  const again = await supertest(api.server).get(path).set('If-None-Match', etag);
  const expected = [304, etag, headers['cache-control']];
  expect([again.status, again.headers['etag'], again.headers['cache-control']]).toEqual(expected);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('a thumbnail does not take %s', async (method) => {
  const { status, headers, body } = await api.call(method, path);
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  expect(body).toMatchObject({ error_code: 'request.method-not-allowed' });
});

test('a thumbnail is not named in the log', async () => {
  await supertest(api.server).get(path);
  expect(api.log.join()).toContain('request completed');
  expect(api.log.join()).not.toContain(name.slice(0, 10));
});

test.each([
  ...[other, `/Thumbnails/${name}`, `${path}/`, path.toUpperCase(), '/thumbnails', '/thumbnails/'],
  ...['/thumbnails/listed.webp', '/thumbnails/../secret.webp', '/thumbnails/..%2fsecret.webp'],
])('nothing else is given: %s', async (unknown) => {
  const { status, body, headers } = await api.call('GET', unknown);
  expect([status, body]).toEqual([404, expect.objectContaining({ error_code: 'request.not-found' })]);
  expect(headers['cache-control']).toBe('no-store');
});

test.each([
  ['a folder', (place: string) => mkdir(place)],
  ['a link to a file of the system', (place: string) => symlink('/etc/passwd', place)],
  ['a link to a thumbnail', (place: string) => symlink(name, place)],
  ['a link to nothing', (place: string) => symlink('nothing', place)],
  ['a pipe that nobody writes to', (place: string) => execFileSync('mkfifo', [place])],
  ['a file of more than 128 KiB', (place: string) => writeFile(place, Buffer.alloc(2 ** 17 + 1))],
])('what is no file of its own is not there: %s', async (_what, make) => {
  const unknown = newThumbnailName();
  await make(join(folder.path, 'thumbnails', unknown));
  const { status, body } = await api.call('GET', `/thumbnails/${unknown}`);
  expect([status, body]).toEqual([404, expect.objectContaining({ error_code: 'request.not-found' })]);
});

test('the folder may be a link, as one to a shared disk is', async () => {
  const link = join(await makeTemporaryFolder(), 'linked');
  await symlink(join(folder.path, 'thumbnails'), link);
  const linked = await startHarness({ thumbnailFolder: link });
  expect((await supertest(linked.server).get(path)).status).toBe(200);
});
