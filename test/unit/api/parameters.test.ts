import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { startHarness } from '../../support/harness.ts';
import { echo, otherApi, parameter, received } from '../../support/other-api.ts';

const states = { type: 'array', items: { type: 'string', enum: ['open', 'locked'] }, maxItems: 2 };
const numbers = { type: 'array', items: { type: 'integer' } };
const json = (more: object = {}) => ({ content: { 'application/json': { schema: {}, ...more } } });
const ok = { 200: { description: 'Done.', ...json() } };
const badRequest = { 400: { description: 'Wrong.', ...json() } };
const notFound = { 404: { description: 'Unknown.', ...json() } };
const error = { error_code: 'request.cases.case.not-found', error_message: 'There is no such case.' };
const noSuchCase = { ...ok, 404: { description: 'Unknown.', ...json({ examples: { unknown: { value: error } } }) } };
const integer = { type: 'integer' };
const thingId = parameter('path', 'thing-id', integer);

const operation = (path: string, parameters: object[], described: object = {}, method = 'get') => ({
  ...{ path, method, handler: echo },
  described: { parameters, ...described },
});
const listed = [
  parameter('query', 'limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  parameter('query', 'weight', { type: 'number', nullable: true }),
  parameter('query', 'ids', numbers),
  parameter('query', 'locked', { type: 'boolean', nullable: true }),
  parameter('query', 'cursor', { type: 'string', maxLength: 10 }),
  parameter('query', 'state', states),
  parameter('query', 'numbers', numbers, { explode: false }),
  parameter('query', 'day', { type: 'string', format: 'date' }),
  parameter('query', 'time', { type: 'string', format: 'date-time' }),
  parameter('header', 'X-Count', integer),
  parameter('header', 'X-Numbers', numbers),
];
const positiveId = parameter('path', 'thing-id', { ...integer, minimum: 1 });
const added = { 'application/json': { schema: { type: 'object', required: ['name'] } } };
const requestBody = { required: true, 'x-max-body-bytes': 100, content: added };
const changed = [
  parameter('path', 'id'),
  parameter('header', 'If-Match', { type: 'string', pattern: '^"' }, { required: true }),
  parameter('query', 'limit', integer),
];
const withPrecondition = { ...ok, ...badRequest, 428: noSuchCase[404] };
const uuid = { type: 'string', format: 'uuid' };
const api = await startHarness({
  api: otherApi({
    list: operation('/things', listed, { responses: { ...ok, ...badRequest } }),
    search: operation('/things/search', [parameter('query', 'q', undefined, { required: true })]),
    add: operation('/things', [parameter('query', 'n', integer)], { requestBody }, 'post'),
    read: operation('/things/{thing-id}', [positiveId], { responses: { ...ok, ...badRequest } }),
    remove: operation('/things/{thing-id}', [thingId], { responses: { ...ok, ...notFound } }, 'delete'),
    close: operation('/cases/{id}/lock', [parameter('path', 'id', uuid)], { responses: noSuchCase }, 'delete'),
    change: operation('/cases/{id}/label', changed, { responses: withPrecondition }, 'put'),
    readFile: operation('/files/{name}.json', [parameter('path', 'name')]),
  }),
});

const get = (path: string, headers: Record<string, string> = {}) =>
  received(supertest(api.server).get(path).set(headers));

test.each([
  ['the default of a parameter that is absent', '/things', { limit: 20 }],
  ['numbers and booleans as such', '/things?limit=5&locked=true', { limit: 5, locked: true }],
  ['no parameter that is not documented', '/things?unknown=1&limit=1&x[a]=2', { limit: 1 }],
  ['any number of JSON', '/things?limit=1&weight=-1.5e-1&ids=0', { limit: 1, weight: -0.15, ids: [0] }],
  ['an array of one', '/things?state=open', { limit: 20, state: ['open'] }],
  ['an array of several', '/things?state=open&state=locked', { limit: 20, state: ['open', 'locked'] }],
  ['an array with commas', '/things?numbers=1,2,3', { limit: 20, numbers: [1, 2, 3] }],
  ['an array with encoded commas', '/things?numbers=1%2C2', { limit: 20, numbers: [1, 2] }],
  ['decoded text', '/things?cursor=a%20b%2Bc', { limit: 20, cursor: 'a b+c' }],
  ['characters that a query need not encode', '/things?cursor=a:b/c==', { limit: 20, cursor: 'a:b/c==' }],
])('a handler is given %s', async (_name, path, query) => {
  const { status, body } = await get(path);
  expect([status, body]).toMatchObject([200, { query }]);
  expect((body as { query: object }).query).toEqual(query);
});

test('a handler is given header parameters by their documented names, and no other header', async () => {
  const { body } = await get('/things', { 'x-count': '3', 'X-NUMBERS': '1, 2 ,3', 'X-Other': '1' });
  expect(body).toMatchObject({ headers: { 'X-Count': 3, 'X-Numbers': [1, 2, 3] } });
  expect(Object.keys((body as { headers: object }).headers)).toEqual(['X-Count', 'X-Numbers']);
});

test('a handler is given path parameters of any name, in the type of their schema, and nothing undocumented', async () => {
  expect((await get('/things/12')).body).toMatchObject({ path: { 'thing-id': 12 } });
  expect((await get('/files/a.b%2Fc.json?name=b')).body).toEqual({ path: { name: 'a.b/c' }, query: {}, headers: {} });
});

type Fault = [path: string, headers: Record<string, string>, field: string, rule: string];
test.each<Fault>([
  ['/things?limit=0', {}, 'limit', 'minimum'],
  ['/things?limit=101', {}, 'limit', 'maximum'],
  ['/things?limit=many', {}, 'limit', 'type'],
  ['/things?limit=', {}, 'limit', 'type'],
  ['/things?limit=1&limit=2', {}, 'limit', 'type'],
  ...['1e1', '%205', '5%20', '0x1', '%2B5', '+5', '1e400', '1.0', '05', '-', 'Infinity', 'NaN'].flatMap(
    (text): Fault[] => [
      [`/things?limit=${text}`, {}, 'limit', 'type'],
      [`/things?ids=1&ids=${text}`, {}, 'ids', 'type'],
      [`/things?numbers=1,${text}`, {}, 'numbers', 'type'],
      [`/things/${text}`, {}, 'thing-id', 'type'],
    ],
  ),
  ...['', '%201', '0x1', '%2B5', '1e400', '.5', '1.', '01', 'Infinity'].map((text): Fault => [
    `/things?weight=${text}`,
    {},
    'weight',
    'type',
  ]),
  ['/things?numbers=1&numbers=0x2', {}, 'numbers', 'type'],
  ['/things?ids=', {}, 'ids', 'type'],
  ['/things', { 'x-count': '1e1' }, 'X-Count', 'type'],
  ['/things', { 'x-count': '' }, 'X-Count', 'type'],
  ['/things', { 'x-numbers': '1, 0x2' }, 'X-Numbers', 'type'],
  ['/things?locked=', {}, 'locked', 'type'],
  ['/things?locked=maybe', {}, 'locked', 'type'],
  ['/things?cursor=12345678901', {}, 'cursor', 'maxLength'],
  ['/things?state=closed', {}, 'state', 'enum'],
  ['/things?state=open&state=open&state=open', {}, 'state', 'maxItems'],
  ['/things?numbers=1,a', {}, 'numbers', 'type'],
  ['/things?day=2026-02-30', {}, 'day', 'format'],
  ['/things?time=2026-02-30T00:00:00Z', {}, 'time', 'format'],
  ['/things?day=2026-02-01&day=2026-02-02', {}, 'day', 'type'],
  ['/things', { 'x-count': 'a' }, 'X-Count', 'type'],
  ['/things/search', {}, 'q', 'required'],
  ['/things/search?q=a&q=b', {}, 'q', 'type'],
  ['/things/0', {}, 'thing-id', 'minimum'],
])('a parameter that breaks its rule is named %s %j', async (path, headers, field, rule) => {
  const { status, body } = await get(path, headers);
  const error_details = { field, errors: [{ field, rule }] };
  expect([status, body]).toMatchObject([400, { error_code: 'request.validation.failed', error_details }]);
});

test('a parameter that breaks its rule is named with every other fault', async () => {
  const { body } = await get('/things?limit=0&locked=2');
  const { errors } = (body as { error_details: { errors: { field: string }[] } }).error_details;
  expect(errors.map(({ field }) => field)).toEqual(['limit', 'locked']);
});

test.each([
  ['/things?limit=0', {}, 'The query parameter limit is not valid.'],
  ['/things?limit=0&ids=a&ids=b', {}, 'The query parameter limit and the query parameter ids are not valid.'],
  ['/things?limit=0', { 'x-count': 'a' }, 'The query parameter limit and the header X-Count are not valid.'],
  ['/things/0', {}, 'The path parameter thing-id is not valid.'],
])('a parameter that breaks its rule is named by the message: %s %j', async (path, headers, message) => {
  expect((await get(path, headers)).body).toMatchObject({ error_message: message });
});

test('a parameter that breaks its rule is named by the message, beside the body', async () => {
  const send = (path: string, sent: object) => received(supertest(api.server).post(path).send(sent));
  const invalid = (what: string) => ({ error_message: `${what} not valid.` });
  expect((await send('/things', {})).body).toMatchObject(invalid('The request body is'));
  expect((await send('/things?n=a', {})).body).toMatchObject(invalid('The query parameter n and the request body are'));
  expect((await send('/things?n=a', { name: '' })).body).toMatchObject(invalid('The query parameter n is'));
});

test.each([
  ['/things/a', 'request.not-found'],
  ['/cases/a/lock', error.error_code],
])(
  'a parameter that breaks its rule is named unless it is a path that documents no 400: %s: %s',
  async (path, code) => {
    const { status, body } = await received(supertest(api.server).delete(path));
    expect([status, body]).toMatchObject([404, { error_code: code }]);
  },
);

test('a parameter that breaks its rule is named unless it is a header that is missing and 428 is documented', async () => {
  const put = (query: string, headers: Record<string, string>) =>
    received(supertest(api.server).put(`/cases/1/label${query}`).set(headers));
  expect((await put('', {})).body).toEqual(error);
  expect((await put('', { 'If-Match': '1' })).status).toBe(400);
  expect((await put('?limit=a', {})).status).toBe(400);
  expect((await put('', { 'If-Match': '"1"' })).status).toBe(200);
});

test('a path without parameters wins over one with, and both tell their methods', async () => {
  expect((await get('/things/search?q=a')).body).toMatchObject({ query: { q: 'a' }, path: {} });
  expect((await supertest(api.server).post('/things/1')).headers['allow']).toBe('DELETE, GET, HEAD');
  expect((await supertest(api.server).post('/things/search')).headers['allow']).toBe('DELETE, GET, HEAD');
});
