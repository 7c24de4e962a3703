import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { AnyOperationResponse } from '../../../src/api/operation.ts';
import { startHarness } from '../../support/harness.ts';
import { otherApi, received } from '../../support/other-api.ts';
import { openConnection } from '../../support/raw-http.ts';

const bytes = Buffer.from([0, 1, 2, 255]);
const content = (...types: string[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
});
const json = { content: { 'application/json': { schema: {} } } };

let last: Readable | undefined;
const stream = (chunks: Iterable<unknown> | AsyncIterable<unknown>) =>
  (last = Readable.from(chunks, { objectMode: false }));

async function* failing(after: number) {
  for (let index = 0; index < after; index += 1) yield bytes;
  await sleep(1);
  throw new Error('the disk is broken');
}

async function* endless() {
  for (;;) {
    await sleep(1);
    yield Buffer.alloc(65_536);
  }
}

const sized = { 'Content-Type': 'text/plain', 'Content-Length': 4, 'Cache-Control': 'private' };
const cases: Record<string, [status: number, described: object, () => AnyOperationResponse]> = {
  created: [201, json, () => ({ status: 201, headers: { Location: '/things/1' }, body: { id: 1 } })],
  accepted: [202, {}, () => ({ status: 202, headers: { 'Retry-After': 5, 'X-Absent': undefined } })],
  empty: [204, {}, () => ({ status: 204 })],
  unchanged: [304, {}, () => ({ status: 304, headers: { ETag: '"1"' } })],
  text: [200, content('text/csv'), () => ({ status: 200, body: 'ä,b' })],
  bytes: [200, content('image/png'), () => ({ status: 200, body: bytes })],
  chosen: [200, content('image/*'), () => ({ status: 200, headers: { 'Content-Type': 'image/webp' }, body: bytes })],
  stream: [200, content('image/png'), () => ({ status: 200, body: stream([bytes, bytes]) })],
  sized: [200, content('*/*'), () => ({ status: 200, headers: sized, body: stream([bytes]) })],
  unopened: [200, content('image/png'), () => ({ status: 200, body: stream(failing(0)) })],
  broken: [200, content('image/png'), () => ({ status: 200, body: stream(failing(3)) })],
  endless: [200, content('image/png'), () => ({ status: 200, body: stream(endless()) })],
  undocumented: [200, json, () => ({ status: 202, body: {} })],
  untyped: [200, content('image/*'), () => ({ status: 200, body: bytes })],
  mistyped: [200, content('image/*'), () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: bytes })],
  shapeless: [200, content('image/png'), () => ({ status: 200, body: { a: 1 } })],
};

const operations = Object.entries(cases).map(([name, [status, described, handler]]) => {
  const responses = { [status]: { description: name, ...described } };
  return [name, { path: `/${name}`, described: { responses }, handler }] as const;
});
const api = await startHarness({ api: otherApi(Object.fromEntries(operations)) });

const get = (name: string) => received(supertest(api.server).get(`/${name}`).responseType('blob'));

test.each([
  ['created', 201, { location: '/things/1', 'content-type': 'application/json' }, Buffer.from('{"id":1}')],
  ['accepted', 202, { 'retry-after': '5', 'content-length': '0' }, Buffer.alloc(0)],
  ['empty', 204, {}, Buffer.alloc(0)],
  ['unchanged', 304, { etag: '"1"' }, Buffer.alloc(0)],
  ['text', 200, { 'content-type': 'text/csv', 'content-length': '4' }, Buffer.from('ä,b')],
  ['bytes', 200, { 'content-type': 'image/png', 'content-length': '4' }, bytes],
  ['chosen', 200, { 'content-type': 'image/webp' }, bytes],
  ['stream', 200, { 'content-type': 'image/png', 'transfer-encoding': 'chunked' }, Buffer.concat([bytes, bytes])],
  ['sized', 200, { 'content-type': 'text/plain', 'content-length': '4', 'cache-control': 'private' }, bytes],
])('a response is sent as the operation gives it: %s', async (name, status, headers, body) => {
  const response = await get(name);
  expect([response.status, response.body]).toEqual([status, body]);
  const always = { 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) as unknown };
  expect(response.headers).toMatchObject({ ...headers, ...always });
  expect(response.headers).not.toHaveProperty('x-absent');
});

test.each(['text', 'bytes', 'stream', 'sized', 'empty'])(
  'HEAD tells the headers of a response alone: %s',
  async (name) => {
    const [head, whole] = [await supertest(api.server).head(`/${name}`), await get(name)];
    const expected = [whole.status, whole.headers['content-type'], whole.headers['content-length']];
    expect([head.status, head.headers['content-type'], head.headers['content-length']]).toEqual(expected);
  },
);

const undescribed = ['undocumented', 'untyped', 'mistyped', 'shapeless', 'unopened'];
test.each(undescribed)('what the document does not have is not sent: %s', async (name) => {
  const { status, body } = await received(supertest(api.server).get(`/${name}`));
  expect([status, body]).toMatchObject([500, { error_code: 'service.internal-error' }]);
});

test('a stream that fails on its way breaks the connection off, and the log says why', async () => {
  api.log.length = 0;
  await expect(get('broken')).rejects.toThrow(/aborted|hang up/);
  expect(api.log.join('')).toContain('the disk is broken');
});

test('when its client has gone, a stream is ended, and nothing is wrong', async () => {
  api.log.length = 0;
  const { socket } = await openConnection(api.server);
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  while (last?.destroyed !== true) await sleep(5);
  await sleep(20);
  expect(api.log.join('')).toMatch(/"aborted":true/);
  expect(api.log.join('')).not.toContain('"level":50');
});
