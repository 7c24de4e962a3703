/** Responses to operations of every shape, read by a client generated from a document that is not the own one. */
import { describe, expect, test } from '@jest/globals';
import { failureOf } from '../../support/client.ts';
import { json } from '../../support/misbehaving-servers.ts';
import { failedReply, OtherServer, type Reply } from './other-server.ts';

const server = new OtherServer();

describe('a response', () => {
  test('with a body of a schema without a name is that body', async () => {
    const client = server.replying([[200, json, '{"version":"1"}']]);
    expect(await client('getStatus')).toEqual({ version: '1' });
  });

  test('gives its status and headers by withResponse()', async () => {
    const credentials = { apiKey: 'key', accessToken: 'token' };
    const created = server.replying([[201, { ...json, Location: '/cases/1' }, '{"case_id":"1"}']], credentials);
    const { data, status, headers } = await created('createCase', { label: 'one' }).withResponse();
    expect([data, status, headers.get('location')]).toEqual([{ case_id: '1' }, 201, '/cases/1']);
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/cases', body: '{"label":"one"}' });
  });

  test('without a body is undefined', async () => {
    const client = server.replying([[204], [304, { ETag: '"1"' }], [202]]);
    expect(await client('lockCase', '1')).toBeUndefined();
    const unmodified = await client('listCases').withResponse();
    expect([unmodified.data, unmodified.status, unmodified.headers.get('etag')]).toEqual([undefined, 304, '"1"']);
    expect(await client('writeFileContent', '1', 2, { Priority: 1 }, new Uint8Array())).toBeUndefined();
  });

  test('of bytes is a Blob, also an empty one', async () => {
    const bytes = Buffer.from([0, 255, 254, 10]);
    const client = server.replying([
      [200, { 'Content-Type': 'image/png' }, bytes],
      [200, { 'Content-Type': 'application/pdf', 'Content-Length': '0' }],
    ]);
    const blob = (await client('readFileContent', '1', 2)) as Blob;
    expect(Buffer.from(await blob.arrayBuffer())).toEqual(bytes);
    expect(blob.type).toBe('image/png');
    expect(await client('readFileContent', '1', 2)).toMatchObject({ size: 0 });
  });

  test('of text is a string, and JSON of several media types is asked for', async () => {
    const client = server.replying([[200, { 'Content-Type': 'text/csv; charset=utf-8' }, 'a;ü']]);
    expect(await client('readReport', 2026)).toBe('a;ü');
    expect(server.requests[0]?.headers.accept).toBe('application/json');
  });

  test('of another success is of the form that this has', async () => {
    const client = server.replying([[203, json, '{"case_id":"1"}']]);
    expect(await client('readReport', 2026)).toEqual({ case_id: '1' });
  });

  test.each<[string, string, Reply]>([
    ['a success that is not described', 'getStatus', [201, json, '{"version":"1"}']],
    ['a page in place of bytes', 'readFileContent', [200, { 'Content-Type': 'text/html' }, '<h1>Sign in</h1>']],
    ['a success with no body in place of bytes', 'readFileContent', [204]],
    ['a redirect', 'lockCase', [302, { Location: '/' }]],
  ])('is not one of this API: %s', async (_name, operationId, reply) => {
    const error = await failureOf(server.replying([reply])(operationId, '1', 2));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: reply[0] });
  });
});

test('a failure that withResponse() tells is told once', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  const client = server.replying([[409, json, '{"error_code":"case.already-locked","error_message":"No."}']]);
  expect(await failureOf(client('lockCase', '1').withResponse())).toMatchObject({ status: 409 });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});

describe('an error', () => {
  test.each([
    [409, 'lockCase', true],
    [500, 'lockCase', true],
    [502, 'lockCase', false],
    [404, 'lockCase', false],
    [500, 'getStatus', true],
    [404, 'getStatus', false],
  ])('with status %i is one that %s describes: %j', async (status, operationId, isDescribed) => {
    const error = await failureOf(server.replying([failedReply(status)])(operationId, '1'));
    expect(server.client.isApiError(error, operationId)).toBe(isDescribed);
  });

  test('of a POST is not tried again', async () => {
    await failureOf(server.replying([failedReply(503)])('lockCase', '1'));
    expect(server.requests).toHaveLength(1);
  });
});
