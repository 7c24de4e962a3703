import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { newThumbnailName } from '../../../src/files/thumbnail-name.ts';
import { type Harness, startHarness } from '../../support/harness.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const name = newThumbnailName();
const content = Buffer.from('RIFF\0\0\0\0WEBP');

let folder: TemporaryFolder;
let api: Harness;
beforeAll(async () => {
  folder = await TemporaryFolder.make();
  await mkdir(join(folder.path, 'thumbnails'));
  await folder.write(join('thumbnails', name), content);
  await folder.write('secret.webp', 'secret');
  await folder.write(join('thumbnails', 'listed.webp'), 'listed');
  api = await startHarness({ thumbnailFolder: join(folder.path, 'thumbnails') });
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

const path = `/thumbnails/${name}`;
const other = `/thumbnails/${newThumbnailName()}`;

describe('a thumbnail', () => {
  test('is given to whoever knows its name, to be kept for ever by them alone', async () => {
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

  test('responds to HEAD with the headers of GET', async () => {
    const { status, headers, text } = await supertest(api.server).head(path);
    expect([status, headers['content-length'], text]).toEqual([200, String(content.length), undefined]);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('does not take %s', async (method) => {
    const { status, headers, body } = await api.call(method, path);
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(body).toMatchObject({ error_code: 'request.method-not-allowed' });
  });

  test('is not named in the log', async () => {
    await supertest(api.server).get(path);
    expect(api.log.join()).toContain('request completed');
    expect(api.log.join()).not.toContain(name.slice(0, 10));
  });
});

test.each([
  other,
  '/thumbnails',
  '/thumbnails/',
  '/thumbnails/listed.webp',
  '/thumbnails/../secret.webp',
  '/thumbnails/..%2fsecret.webp',
  `/Thumbnails/${name}`,
  `${path}/`,
  path.toUpperCase(),
])('nothing else is given: %s', async (unknown) => {
  const { status, body, headers } = await api.call('GET', unknown);
  expect([status, body]).toEqual([404, expect.objectContaining({ error_code: 'request.not-found' })]);
  expect(headers['cache-control']).toBe('no-store');
});

test('a server without thumbnails knows none of their paths', async () => {
  const bare = await startHarness();
  expect((await bare.call('GET', path)).status).toBe(404);
  await bare.close();
});
