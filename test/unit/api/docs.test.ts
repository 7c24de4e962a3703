import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { writeDocsInFolder } from '../../support/docs.ts';
import { type Harness, startHarness } from '../../support/harness.ts';

const page = { html: `<!doctype html>${'<p>A page</p>'.repeat(1000)}`, policy: "default-src 'none'; img-src data:" };

let docs: Awaited<ReturnType<typeof writeDocsInFolder>>;
let api: Harness;
beforeAll(async () => {
  docs = await writeDocsInFolder(page);
  api = await startHarness({ docsFolder: docs.folder });
}, 60_000);
afterAll(async () => {
  await api.close();
  await docs.remove();
});

/** Gets the content; supertest undoes its compression. */
async function get(path: string, headers: Record<string, string> = {}) {
  const response = await supertest(api.server)
    .get(path)
    .set('Accept-Encoding', 'identity')
    .set(headers)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        done(null, Buffer.concat(chunks));
      });
    });
  return {
    status: response.status,
    headers: response.headers as Record<string, string>,
    content: response.body as Buffer,
  };
}

const sources = {
  '/docs': () => readFileSync(`${docs.folder}/index.html`),
  '/openapi.json': () => readFileSync('generated/openapi.json'),
  '/openapi.yaml': () => readFileSync('openapi/openapi.yaml'),
};
const types = {
  '/docs': 'text/html; charset=utf-8',
  '/openapi.json': 'application/json',
  '/openapi.yaml': 'application/yaml',
};
const paths = Object.keys(types) as (keyof typeof types)[];

describe.each(paths)('%s', (path) => {
  test('is served as it was built, to be asked for again each time', async () => {
    const { status, headers, content } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': types[path],
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['etag']).toMatch(/^W\/"[\w-]{43}"$/);
    expect(headers['x-request-id']).toBeDefined();
    expect(content.equals(sources[path]())).toBe(true);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ])('is compressed for a client that accepts %s', async (accepted, coding) => {
    const { headers, content } = await get(path, { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
    expect(content.equals(sources[path]())).toBe(true);
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
    expect(Number(headers['content-length'])).toBe(readFileSync(`${docs.folder}/${fileOf(path)}.br`).length);
  });

  test.each(['post', 'put', 'delete', 'options'] as const)('does not take %s', async (method) => {
    const response = await supertest(api.server)[method](path);
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(response.body).toMatchObject({ error_code: 'request.method-not-allowed' });
  });
});

test('the page has its own policy, and the document that of the service', async () => {
  expect((await get('/docs')).headers['content-security-policy']).toBe(`${page.policy}; frame-ancestors 'none'`);
  expect((await get('/openapi.json')).headers['content-security-policy']).toBe(
    "default-src 'none'; frame-ancestors 'none'",
  );
});

test.each([
  '/docs/',
  '/Docs',
  '/docs.json',
  '/index.html',
  '/docs/index.html',
  '/openapi.json.br',
  '/docs/..%2fdocs.json',
])('nothing else in the folder is served: %s', async (path) => {
  expect((await api.call('GET', path)).status).toBe(404);
});

test('is held in memory from the start, whatever becomes of its files', async () => {
  const other = await writeDocsInFolder(page);
  const bare = await startHarness({ docsFolder: other.folder });
  await other.remove();
  for (const path of paths) expect((await supertest(bare.server).get(path)).status).toBe(200);
  await bare.close();
});

test('without built documentation its paths are unknown like any other', async () => {
  const bare = await startHarness();
  for (const path of paths) expect((await bare.call('GET', path)).status).toBe(404);
  await bare.close();
});

function fileOf(path: keyof typeof types): string {
  return path === '/docs' ? 'index.html' : path.slice(1);
}
