/** Operations of every shape, called by a client generated from a document that is not the own one. */
import { describe, expect, test } from '@jest/globals';
import { failureOf } from '../../support/client.ts';
import { json } from '../../support/misbehaving-servers.ts';
import { failedReply, OtherServer, type Reply } from './other-server.ts';

const server = new OtherServer();

describe('parameters', () => {
  test('go into the query, each in its style, and into the header', async () => {
    const query = 'limit=0&cursor=a%26b%3Dc%20%C3%BC&locked=false&state=open,done&tag=x&tag=y';
    const arrays = { state: ['open', 'done'], tag: ['x', 'y'] };
    const parameters = { limit: 0, cursor: 'a&b=c ü', locked: false, ...arrays, 'If-None-Match': '"1"', unknown: 1 };
    await server.replying([[200, json, '[]']])('listCases', parameters);
    expect(server.requests[0]?.url).toBe(`/cases?${query}`);
    expect(server.requests[0]?.headers['if-none-match']).toBe('"1"');
  });

  test('that are absent, undefined or empty are not sent', async () => {
    const client = server.replying(Array<Reply>(2).fill([200, json, '[]']));
    await client('listCases');
    await client('listCases', { limit: undefined, tag: [], 'If-None-Match': undefined });
    expect(server.requests.map(({ url, headers }) => [url, headers['if-none-match']])).toEqual(
      Array(2).fill(['/cases', undefined]),
    );
  });

  test('of the path come in its order, of their type', async () => {
    const client = server.replying([[200, { 'Content-Type': 'application/pdf' }, '1']]);
    await client('readFileContent', 'a/b', 7);
    expect(server.requests[0]?.url).toBe('/cases/a%2Fb/files/7/content');
    const error = await failureOf(client('readFileContent', '1', '7'));
    expect(String(error)).toMatch(/^TypeError: file-id must be a number/);
  });

  test('are followed by the options, and refused before anything is sent if they cannot stand in a header', async () => {
    const call = server.replying([]);
    const aborted = call('listCases', {}, { signal: AbortSignal.abort() });
    expect(await failureOf(aborted)).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(call('listCases', { 'If-None-Match': 'a\r\nb: c' }))).toBeInstanceOf(TypeError);
    expect(server.requests).toEqual([]);
  });
});

describe('security', () => {
  const sent = () => server.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]);
  const both = { apiKey: 'key', accessToken: 'token' };

  test('a public operation is sent no credential', async () => {
    for (const credentials of [both, {}])
      expect(await server.replying([[200, json, '{"version":"1"}']], credentials)('getStatus')).toEqual({
        version: '1',
      });
    expect(sent()).toEqual(Array(2).fill([undefined, undefined]));
  });

  test('of several schemes, the first that the client has is used', async () => {
    await server.replying([[200, json, '[]']], both)('listCases');
    await server.replying([[200, json, '[]']], { accessToken: 'token' })('listCases');
    expect(sent()).toEqual([
      ['key', undefined],
      [undefined, 'Bearer token'],
    ]);
    const error = await failureOf(server.replying([], {})('listCases'));
    expect(String(error)).toBe('TypeError: This operation needs apiKey, or accessToken: give it to createClient.');
  });

  test('schemes that are needed together are sent together', async () => {
    await server.replying([[201, json, '{}']], both)('createCase', { label: 'one' });
    expect(sent()).toEqual([['key', 'Bearer token']]);
    const error = await failureOf(server.replying([], { apiKey: 'key' })('createCase', { label: 'one' }));
    expect(String(error)).toBe('TypeError: This operation needs apiKey and accessToken: give it to createClient.');
  });
});

describe('a request body', () => {
  test.each([
    ['an array of bytes', () => new TextEncoder().encode('bytes')],
    ['a Blob', () => new Blob(['bytes'], { type: 'text/html' })],
    ['a stream', () => new Blob(['bytes']).stream()],
  ])('of bytes can be %s', async (_name, body) => {
    await server.replying([[202]])('writeFileContent', '1', 2, { Priority: 3 }, body());
    const headers = { 'content-type': 'application/octet-stream', priority: '3' };
    expect(server.requests).toMatchObject([{ headers, body: 'bytes' }]);
  });

  test('of one of several media types says which', async () => {
    const client = server.replying([[201]]);
    await client('addFile', '1', new Blob(['1'], { type: 'image/png' }));
    expect(server.requests[0]?.headers['content-type']).toBe('image/png');
    const error = await failureOf(client('addFile', '1', new Blob(['1'])));
    expect(String(error)).toMatch(/^TypeError: body must be a Blob/);
  });

  test('of JSON has the media type that is described, and may be absent if it is not required', async () => {
    const client = server.replying([[204], [204]]);
    await client('correctReport', 2026, { rows: 1 });
    await client('correctReport', 2026);
    expect(server.requests.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/merge-patch+json', '{"rows":1}'],
      [undefined, ''],
    ]);
  });

  test('that is a stream is sent once, and any other again', async () => {
    const body = new Blob(['bytes']);
    const again = server.replying([failedReply(503), [202]]);
    await again('writeFileContent', '1', 2, { Priority: 3 }, body);
    expect(server.requests).toHaveLength(2);
    const single = server.replying([failedReply(503), [202]]);
    const error = await failureOf(single('writeFileContent', '1', 2, { Priority: 3 }, body.stream()));
    expect(error).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a response', () => {
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

  test('of text is a string, of another success what that has, and JSON of several media types is asked for', async () => {
    const text: Reply = [200, { 'Content-Type': 'text/csv; charset=utf-8' }, 'a;ü'];
    const client = server.replying([text, [203, json, '{"case_id":"1"}']]);
    expect([await client('readReport', 2026), await client('readReport', 2026)]).toEqual(['a;ü', { case_id: '1' }]);
    expect(server.requests[0]?.headers.accept).toBe('application/json');
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
    // Not tried again after a POST.
    [503, 'lockCase', true],
    [409, 'lockCase', true],
    [500, 'lockCase', true],
    [502, 'lockCase', false],
    [404, 'lockCase', false],
    [500, 'getStatus', true],
    [404, 'getStatus', false],
  ])('with status %i is one that %s describes: %j', async (status, operationId, isDescribed) => {
    const error = await failureOf(server.replying([failedReply(status)])(operationId, '1'));
    expect(server.client.isApiError(error, operationId)).toBe(isDescribed);
    expect(server.requests).toHaveLength(1);
  });
});
