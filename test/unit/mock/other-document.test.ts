/** The mock of a document that is not this API's. */
import { expect, test } from '@jest/globals';
import type { MockRecord } from '../../../contract/mock/app.ts';
import { exampleRows } from '../../../contract/cli/mock.ts';
import type { ApiDocument } from '../../../contract/document/index.ts';
import { startMock } from '../../support/mock.ts';
import { apiIn, apiOf } from '../document/fixture.ts';

const document = apiIn(`
/notes/{id}:
  parameters: [{ in: path, name: id, required: true, schema: { type: string }, example: a1 }]
  get:
    operationId: getNote
    security: [{ key: [] }]
    responses:
      200: { content: { text/plain: { schema: { type: string }, example: Hello } } }
      404: { content: { application/json: { schema: {}, example: { error_code: e404 } } } }
  put:
    operationId: putNote
    security: [{ token: [] }]
    requestBody:
      required: true
      x-max-body-bytes: 20
      content: { application/json: { schema: { type: object, required: [text] }, example: { text: a } } }
    responses: { 204: {}, 401: { content: { application/json: { schema: {}, example: { error_code: e401 } } } } }
/status: { get: { operationId: getStatus, responses: { 200: {} } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key }, token: { type: http, scheme: bearer } }
`);

const records: MockRecord[] = [];
const mocking = (of: ApiDocument, onResponse?: (record: MockRecord) => void) =>
  startMock({ region: 'uk', document: of, ...(onResponse && { onResponse }) });
const service = await mocking(document, (record) => records.push(record));

const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
  const response = await fetch(service.url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const token = { authorization: 'Bearer any', 'content-type': 'application/json' };

test('an example that is no JSON is sent as it is written', async () => {
  const { status, headers, text: body } = await call('GET', '/notes/a1?any=1', { 'x-key': 'any' });
  expect([status, headers.get('content-type'), body]).toEqual([200, 'text/plain', 'Hello']);
  expect(records.at(-1)).toEqual({ method: 'GET', path: '/notes/a1', operationId: 'getNote', status: 200 });
});

test.each([
  ['GET', '/notes/a1', {}, 'ApiKey realm="T"'],
  ['PUT', '/notes/a1', {}, 'Bearer realm="T"'],
  ['PUT', '/notes/a1', { authorization: 'Basic x' }, 'Bearer realm="T", error="invalid_token"'],
])('%s %s with %j is challenged', async (method, path, headers, challenge) => {
  const response = await call(method, path, headers);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge]);
});

const invalid = 'The request is not valid.';
test.each([
  ['GET', '/status', undefined, 200, undefined, undefined],
  ['PUT', '/notes/a1', '{"text":"123456789"}', 204, undefined, undefined],
  ['PUT', '/notes/a1', '{"text":"1234567890"}', 413, 'Payload Too Large', invalid],
  ['PUT', '/notes/a1', '{}', 400, 'Bad Request', invalid],
  ['GET', '/v2/status', undefined, 404, 'Not Found', 'No operation has this path.'],
  [
    ...(['DELETE', '/notes/a1', undefined, 405, 'Method Not Allowed'] as const),
    'The path does not have this method. Allow lists those it has.',
  ],
])('%s %s with the body %s gets %d', async (method, path, body, status, title, detail) => {
  const response = await call(method, path, method === 'PUT' ? token : {}, body);
  expect(response.status).toBe(status);
  expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, PUT' : null);
  if (title === undefined) expect(response.text).toBe('');
  else {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(response.text)).toMatchObject({ type: 'about:blank', title, status, detail });
  }
});

test.each([
  ['a.B-9_~', true],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['a b', false],
  ['(a', false],
  ['a)', false],
])('the request id %s is kept: %p', async (id, isKept) => {
  const { headers } = await call('GET', '/status', { 'x-request-id': id });
  expect(headers.get('x-request-id') === id).toBe(isKept);
});

test('a preference that no example fulfils gets the list of the examples', async () => {
  const { status, text: body } = await call('GET', '/notes/a1', { 'x-key': 'any', prefer: 'code=418' });
  expect([status, JSON.parse(body)]).toMatchObject([
    500,
    { detail: expect.any(String), examples: ['code=200, example=example', 'code=404, example=example'] },
  ]);
});

const without = apiIn(
  `
/nodes:
  post:
    operationId: addNode
    security: [{ basic: [] }]
    requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Node' } } } }
    responses:
      201:
        content:
          application/xml: { schema: { type: object } }
          application/json: { schema: { $ref: '#/components/schemas/Node' } }
      401: { content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }
      422: { content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }
components:
  schemas:
    Node:
      type: object
      required: [name]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        name: { type: string, minLength: 3 }
        secret: { type: string, writeOnly: true }
        size: { type: integer, minimum: 1 }
        tags: { type: array, items: { enum: [red, green] } }
        children: { type: array, items: { $ref: '#/components/schemas/Node' } }
    Problem: { type: object, properties: { title: { type: string, default: Refused } } }
  securitySchemes: { basic: { type: http, scheme: basic } }
`,
  'Tree "API"',
);
const schemasMock = await mocking(without);
const node = { id: '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10', name: 'aaa', size: 1, tags: ['red'] };
const refused = { title: 'Refused' };
test.each([
  ['Basic YTpi', '{"name":"Ash"}', 201, 'application/json', expect.objectContaining(node), null],
  ['Basic YTpi', '{"name":1}', 422, 'application/problem+json', refused, null],
  ['', '{}', 401, 'application/problem+json', refused, 'Basic realm="Tree API"'],
])(
  'a document without examples is mocked by values made of its schemas: "%s" with %s gets %d',
  async (authorization, body, status, mediaType, expected, challenge) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) };
    const response = await fetch(`${schemasMock.url}/nodes`, { method: 'POST', headers, body });
    const told = ['content-type', 'www-authenticate'].map((name) => response.headers.get(name));
    const given = (await response.json()) as object;
    expect([response.status, told, given]).toEqual([status, [mediaType, challenge], expected]);
    expect(given).not.toHaveProperty('secret');
  },
);

test('examples of one name in two media types are listed once', () => {
  const content = { 'application/json': { example: {} }, 'text/plain': { example: '' } };
  const twice = apiOf({ '/a': { get: { operationId: 'a', responses: { '200': { description: 'A.', content } } } } });
  expect(exampleRows(twice)).toEqual([['a', '200', 'example']]);
});

const photos = apiIn(`
/photos:
  get: { responses: { default: { content: { application/json: { schema: { type: array } } } } } }
  post:
    responses:
      201:
        headers:
          Location: { required: true, schema: { type: string, format: uri } }
          X-Code: { required: true, schema: { type: string, pattern: '^[A-F]{4}-\\d{2}$' } }
        content:
          application/json:
            schema: { type: object, required: [id], properties: { id: { type: integer } } }
            example: { id: one }
/photos/{id}:
  parameters: [{ name: id, in: path, required: true, schema: { type: integer }, example: 7 }]
  get: { responses: { 200: { content: { image/*: {} } }, 404: {} } }
/moved: { get: { responses: { 302: {} } } }
/undescribed: { get: {} }
`);
const photosMock = await mocking(photos);
const ask = (path: string, method = 'GET') => fetch(photosMock.url + path, { method, redirect: 'manual' });

test('what no example says is made of the schemas: headers with patterns, a link to what is added, and a body in place of a wrong one', async () => {
  const added = await ask('/photos', 'POST');
  expect([added.status, added.headers.get('location')]).toEqual([201, 'https://example.com/photos/7']);
  expect(added.headers.get('x-code')).toMatch(/^[A-F]{4}-\d{2}$/);
  expect(await added.json()).toEqual({ id: 1 });
});

test('what no example says is a picture where the media type is one', async () => {
  const photo = await ask('/photos/7');
  expect(photo.headers.get('content-type')).toBe('image/png');
  const start = Buffer.from(await photo.arrayBuffer()).subarray(0, 8);
  expect(start.toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
});

test.each([
  ['/photos', 200],
  ['/photos/2147483599', 404],
  ['/moved', 302],
  ['/undescribed', 200],
])('what no example says is the success that is documented: %s %d', async (path, status) => {
  expect((await ask(path)).status).toBe(status);
});
