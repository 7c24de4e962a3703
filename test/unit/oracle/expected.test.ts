import { expect, test } from '@jest/globals';
import { schemeEntry } from '../../../contract/dimensions/credential-scheme.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { type Expected, expectedOf, type PromiseName, refusalsOf } from '../../../contract/oracle/expected.ts';
import { differenceFrom, faultOf } from '../../../contract/oracle/judge.ts';
import { worldOf } from '../../../contract/oracle/world.ts';
import type { HttpResponse, RequestSpec } from '../../../contract/run/model.ts';
import { interfaceCredentials as c } from '../../support/interface-server.ts';
import { apiIn, apiOf } from '../document/fixture.ts';

const spare = 'key-of-the-owner-spare-9a';
const credentials = { ...c, base_url: '', case_base_url: '', spares: { owner_key: [spare] } };
const world = worldOf(ownDocument, credentials);

type Header = [name: string, value: string];
const setting = '/organisations/features/verification';
const key = (secret: string): Header => ['x-api-key', secret];
const token = (secret: string): Header => ['Authorization', `Bearer ${secret}`];
const json: Header = ['Content-Type', 'application/json'];
const get = (path: string, ...headers: Header[]): RequestSpec => ({ method: 'GET', path, headers });
const put = (body: string | Buffer, ...headers: Header[]): RequestSpec => ({
  method: 'PUT',
  path: setting,
  headers: headers.length > 0 ? headers : [key(c.owner_key), json],
  body,
});
const owned = key(c.owner_key);
const readCase = (...headers: Header[]) => get(`/cases/${c.case_id}`, ...headers);
const { maxBytes = 0 } =
  ownDocument.operations.find(({ operationId }) => operationId === 'updateVerificationSetting')?.requestBody ?? {};

// Tests take rows as one list, as jest gives a row that is shorter a callback to wait for.
type Asked = [promise: PromiseName, statuses: number[], of: string, request: RequestSpec, fields?: string[]];

test.each<Asked>([
  ['path', [404], 'an unknown path', get('/no-such-path', owned)],
  ['path', [404], 'a path with a slash more', get(`${setting}/`)],
  ['method', [405], 'a method that the path does not have', { method: 'DELETE', path: setting }],
  ['credential', [401], 'nobody', get(setting)],
  ['credential', [401], 'an unknown key', get(setting, key('unknown'))],
  ['credential', [401], 'a revoked key', get(setting, key(c.revoked_key))],
  ['credential', [401], 'a token in place of a key', get(setting, key(c.access_token))],
  ['credential', [401], 'a key in place of a token', readCase(token(c.owner_key))],
  ['credential', [401], 'a key twice', get(setting, owned, owned)],
  ['credential', [401], 'a scheme that is another', readCase(['Authorization', `Basic ${c.access_token}`])],
  ['credential', [401], 'an invalid body of nobody', put('[]', json)],
  ['permission', [403], 'a reader without permission', get(setting, key(c.viewer_key))],
  ['permission', [403], 'a member who writes', put('{"enabled":true}', key(c.member_key), json)],
  ['feature', [403], 'an organisation without the feature', get(setting, key(c.feature_off_key))],
  ['feature', [403], 'an invalid body without the feature', put('[]', key(c.feature_off_key), json)],
  ['media-type', [415], 'text', put('{"enabled":true}', owned, ['Content-Type', 'text/plain'])],
  ['media-type', [415], 'no media type', put('{"enabled":true}', owned)],
  ['media-type', [415], 'another charset', put('{}', owned, ['Content-Type', 'application/json; charset=utf-16'])],
  ['media-type', [415], 'a coding', put('{"enabled":true}', owned, json, ['Content-Encoding', 'gzip'])],
  ['body-size', [413], 'a byte more than the limit', put('{"enabled":true}'.padEnd(maxBytes + 1))],
  ['media-type', [415], 'text that is too large', put('a'.repeat(maxBytes + 1), owned, ['Content-Type', 'a/b'])],
  ['body', [400], 'an empty body', put(''), []],
  ['body', [400, 415], 'an empty text', put('', owned, ['Content-Type', 'text/plain']), []],
  ['body', [400], 'no JSON', put('{"enabled":'), []],
  ['body', [400], 'bytes that are not UTF-8', put(Buffer.from([0x22, 0xff, 0x22])), []],
  ['body', [400], 'an array', put('[]'), ['']],
  ['body', [400], 'a field that is missing and one more', put('{"other":1}'), ['enabled', 'other']],
  ['body', [400], 'a value of another type', put('{"enabled":"true"}'), ['enabled']],
  ['not-found', [404], 'an unknown case', get('/cases/3f2b8c1e-7d64-4a90-b5ce-0d9a6e1f7c42', token(c.access_token))],
  ['not-found', [404], 'a case of others', get(`/cases/${c.other_case_id}`, token(c.access_token))],
  ['not-found', [404], 'a malformed identifier', get('/cases/1', token(c.access_token))],
  ['success', [200], 'a reader', get(setting, key(c.member_key))],
  ['success', [200], 'a spare key', get(setting, key(spare))],
  ['success', [200], 'a query', get(`${setting}?debug=1`, owned)],
  ['success', [200], 'HEAD', { ...get(setting, owned), method: 'HEAD' }],
  ['success', [200], 'a case', get(`/cases/${c.case_id}?x=1`, token(c.access_token))],
  ['success', [200], 'a case in capitals', get(`/cases/${c.case_id.toUpperCase()}`, token(c.access_token))],
  ['success', [200], 'a scheme in lower case', readCase(['authorization', `bearer  ${c.access_token}`])],
  ['success', [200], 'an update', put('{"enabled":true}')],
  ['success', [200], 'the largest body', put('{"enabled":true}'.padEnd(maxBytes))],
])('the oracle expects %s %j of %s', (...[promise, statuses, , request, fields]: Asked) => {
  const expected = expectedOf(request, world);
  expect([expected.promise, expected.statuses]).toEqual([promise, statuses]);
  expect(expected.fields?.toSorted()).toEqual(fields);
  expect(expected.code === undefined).toBe(promise === 'success');
});

test('the oracle expects of a reader what was saved, and of a case what was read before', () => {
  const known = worldOf(ownDocument, credentials);
  const faultAfter = (request: RequestSpec, body: unknown) => {
    const { bodyFault, after } = expectedOf(request, known);
    const fault = bodyFault?.(body);
    if (fault === undefined) after?.(body);
    return fault;
  };
  const read = get(setting, owned);
  const readOwn = readCase(token(c.access_token));
  const waiting = { case_id: c.case_id, file_analysis_status: 'waiting_for_file_analysis', total_files: 1 };
  const file = (label: string, end: string | null) => ({ file_id: 'a', label, analysis_completed_at: end });
  const ended = '2026-03-02T09:18:30Z';
  const rows: [request: RequestSpec, body: unknown, fault: string | undefined][] = [
    [read, {}, 'expected a boolean in enabled'],
    [read, { enabled: false }, undefined],
    [read, { enabled: true }, 'expected enabled false, got true'],
    [put('{"enabled":true}'), { enabled: false }, 'expected enabled true, got false'],
    [put('{"enabled":true}'), { enabled: true }, undefined],
    [read, { enabled: false }, 'expected enabled true, got false'],
    [read, { enabled: true }, undefined],
    [readOwn, { case_id: c.other_case_id }, `expected the case ${c.case_id}, got ${c.other_case_id}`],
    [readOwn, { ...waiting, files: [file('a', ended)] }, undefined],
    [readOwn, { ...waiting, files: [file('b', null)] }, undefined],
    [readOwn, { ...waiting, files: [file('b', ended)] }, 'expected the case as it was read before'],
  ];
  expect(rows.map(([request, body]) => faultAfter(request, body))).toEqual(rows.map(([, , fault]) => fault));
});

const others = apiIn(
  `
/notes/{id}:
  get:
    operationId: getNote
    security: [{ key: [] }]
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    responses: { 200: {}, 204: {}, 401: {}, 422: {} }
components: { securitySchemes: { key: { type: apiKey, in: query, name: api_key } } }
`,
  'Notes',
);
test.each<[promise: PromiseName, statuses: number[], path: string]>([
  ['path', [], '/others'],
  ['credential', [401], '/notes/1'],
  ['credential', [401], '/notes/1?api_key=b'],
  ['success', [200, 204], '/notes/1?api_key=a'],
  ['success', [200, 204], '/notes/1?x=1&api_key=a&y'],
])('the oracle expects of another API %s %j at %s', (promise, statuses, path) => {
  const { code, ...expected } = expectedOf(
    get(path),
    worldOf(others, { base_url: '', case_base_url: '', [schemeEntry('key')]: 'a' }),
  );
  expect([expected.promise, expected.statuses, code]).toEqual([promise, statuses, undefined]);
});

type Judged = [found: RegExp | undefined, of: Partial<Expected>, response: HttpResponse, details?: boolean];
type Differing = [found: string | undefined, response: HttpResponse, bodyFault?: Expected['bodyFault']];

const of = (status: number, body: object | string = '', headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status,
  headers,
  text: typeof body === 'string' ? body : JSON.stringify(body),
});
const error = (code: string, field?: string) => ({
  error_code: code,
  error_message: 'No.',
  ...(field !== undefined && { error_details: { errors: [{ field, message: 'No.' }] } }),
});
const forbidden = 'request.forbidden';
const tooLarge = 'request.body.too-large';

test.each<Judged>([
  [undefined, { statuses: [] }, of(500)],
  [/^expected 200 or 204 \(success\), got 500$/, { statuses: [200, 204] }, of(500)],
  [/^expected 404 \(not found\), got 403$/, { statuses: [404], promise: 'not-found' }, of(403)],
  [undefined, { code: forbidden, statuses: [403] }, of(403, error(forbidden))],
  [/^expected the error code request.forbidden, got a$/, { code: forbidden, statuses: [403] }, of(403, error('a'))],
  [/error code request.forbidden, got undefined$/, { code: forbidden, statuses: [403] }, of(403, 'no JSON')],
  [undefined, { code: tooLarge, statuses: [413] }, of(413, error('a'))],
  [/, got a$/, { code: tooLarge, statuses: [413] }, of(413, error('a')), true],
  [undefined, { code: tooLarge, statuses: [413, 415] }, of(415, error('a')), true],
  [undefined, { code: 'a', statuses: [400], fields: ['enabled'] }, of(400, error('a', 'enabled')), true],
  [/enabled/, { code: 'a', statuses: [400], fields: ['enabled'] }, of(400, error('a', 'other')), true],
  [undefined, { code: 'a', statuses: [400], fields: ['enabled'] }, of(400, error('a', 'other'))],
  [/^wrong$/, { statuses: [200], bodyFault: () => 'wrong' }, of(200, {})],
])('a response is found %s of %j', (...[found, expected, response, details = false]: Judged) => {
  const whole: Expected = { promise: 'success', operation: undefined, statuses: [], ...expected };
  const fault = faultOf(whole, { method: 'GET', path: '/' }, response, details);
  if (found) expect(fault).toMatch(found);
  else expect(fault).toBeUndefined();
  // A response to HEAD needs no body.
  if (whole.bodyFault) expect(faultOf(whole, { method: 'HEAD', path: '/' }, of(200), details)).toBeUndefined();
});

test.each<Differing>([
  [undefined, of(200, 'a', { allow: 'GET', date: 'now' })],
  ['expected 200, as without it, got 304', of(304, 'a', { allow: 'GET' })],
  ['expected the same body as without it', of(200, 'b', { allow: 'GET' })],
  [undefined, of(200, 'b', { allow: 'GET' }), () => undefined],
  ['expected the header allow as without it (GET), got none', of(200, 'a')],
  ['expected the header location as without it (absent), got /', of(200, 'a', { allow: 'GET', location: '/' })],
])('a response differs from another: %s', (...[found, response, bodyFault]: Differing) => {
  const plain = of(200, 'a', { allow: 'GET', date: 'then' });
  expect(differenceFrom(plain, response, bodyFault ? { bodyFault } : {})).toBe(found);
});

test('a link may have the query that was asked for, and with it the ETag another value', () => {
  const page = (name: string, next: string, etag: string) => of(200, { name, links: { next } }, { etag });
  const plain = page('a', '/notes?page=2', '"1"');
  expect(differenceFrom(plain, page('a', '/notes?limit=20&page=2', '"2"'), {})).toBeUndefined();
  expect(differenceFrom(plain, page('b', '/notes?page=2', '"1"'), {})).toBe('expected the same body as without it');
  expect(differenceFrom(plain, page('a', '/notes?page=2', '"2"'), {})).toMatch('the header etag');
});

test.each([
  ['application/vnd.api+json', '400, 409, 422', [400, 422, 409]],
  ['application/vnd.api+json', '400', [400]],
  ['application/json', '400, 409', [400]],
])('a body of %s, of an operation that documents %s, is refused with %j', (type, documented, statuses) => {
  const responses = Object.fromEntries(documented.split(', ').map((status) => [status, {}]));
  const post = { requestBody: { content: { [type]: { schema: { type: 'object' } } } }, responses };
  const [operation] = apiOf({ '/notes': { post } }).operations;
  expect(operation && refusalsOf(operation, false).invalid).toEqual(statuses);
});

test('a header that is missing is refused with 428 where that is documented', () => {
  const version = { in: 'header', name: 'X-Version', required: true, schema: { type: 'integer' } };
  const api = apiOf({ '/notes': { delete: { parameters: [version], responses: { 204: {}, 400: {}, 428: {} } } } });
  const asked = (...headers: Header[]) =>
    expectedOf({ method: 'DELETE', path: '/notes', headers }, worldOf(api, { base_url: '', case_base_url: '' }));
  expect([asked(), asked(['X-Version', 'a'])].map((each) => each.statuses)).toEqual([[428], [400]]);
});
