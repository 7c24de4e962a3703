import { expect, test } from '@jest/globals';
import type { components } from '../../../generated/types.ts';
import type { HttpResponse } from '../../../contract/oracle/messages.ts';
import { type ConformanceOptions, inUsualForm, responseViolations } from '../../../contract/oracle/response.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { documentedExamples } from '../../../contract/mock/examples.ts';
import { settingPath } from '../../support/harness.ts';
import { apiIn } from '../document/fixture.ts';

type Case = components['schemas']['Case'];
type File = Case['files'][number];

const casePath = '/cases/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

/** A response that the document itself shows. */
function example(operationId: string, status: number): { response: HttpResponse; body: object } {
  const found = documentedExamples(ownDocument)
    .get(operationId)
    ?.find((one) => one.status === status);
  if (!found) throw new Error(`The document shows no ${status} of ${operationId}.`);
  const headers = Object.fromEntries(Object.entries(found.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const text = JSON.stringify(found.body);
  const response = { status, headers: { 'content-type': 'application/json', ...headers }, text };
  return { response, body: found.body as object };
}

function told(
  method: string,
  path: string,
  response: HttpResponse,
  options: Partial<ConformanceOptions> = {},
): string[] {
  return responseViolations(method, path, response, { allowExtraFields: false, ...options }).map(
    ({ rule, message }) => `${rule}: ${message}`,
  );
}

const read = example('getVerificationSetting', 200).response;
const limited = example('getVerificationSetting', 429).response;
const unavailable = example('getVerificationSetting', 503).response;
const withMore: HttpResponse = { ...read, text: '{"enabled":true,"more":1}' };
const unknownMethod: HttpResponse = {
  status: 405,
  headers: { ...read.headers, allow: 'GET, HEAD, PUT' },
  text: JSON.stringify({ error_code: 'request.method-not-allowed', error_message: 'No.' }),
};

function withHeader(response: HttpResponse, header: string, value?: string): HttpResponse {
  return { ...response, headers: { ...response.headers, [header]: value } };
}

function withCode(response: HttpResponse, code: string): HttpResponse {
  return { ...response, text: response.text.replace(/"error_code":"[^"]+"/, `"error_code":"${code}"`) };
}

test('a published file, of which the document says nothing, breaks nothing', () => {
  const page = { status: 200, headers: { ...read.headers, 'content-type': 'text/html' }, text: '<!doctype html>' };
  expect(told('GET', '/docs/index.html', page)).toEqual([]);
});

const notLimited = withCode(limited, 'request.not-found');

test.each<[string, string, HttpResponse]>([
  [`status: the status 418 is not documented for GET ${settingPath}`, 'GET', { ...read, status: 418 }],
  [`status: the status 404 is not documented for GET ${settingPath}`, 'GET', { ...read, status: 404 }],
  ['header: the header RateLimit is missing', 'GET', withHeader(read, 'ratelimit')],
  ['header: the header Retry-After is missing', 'GET', withHeader(unavailable, 'retry-after')],
  ['header: the header Retry-After must be integer', 'GET', withHeader(limited, 'retry-after', '')],
  ['header: the header RateLimit-Policy is missing', 'GET', withHeader(limited, 'ratelimit-policy')],
  ['body: the body/enabled must be boolean', 'GET', { ...read, text: '{"enabled":1}' }],
  ['body: the body must NOT have additional properties (more)', 'GET', withMore],
  ['error code: the error code request.not-found does not belong to the status 429', 'GET', notLimited],
  ['error code: the error code a.new-one does not belong to the status 429', 'GET', withCode(limited, 'a.new-one')],
])('a response that breaks the contract is told %s', (message, method, response) => {
  expect(told(method, settingPath, response)).toContain(message);
});

test('a target that extends the contract may have more fields and codes of its own', () => {
  expect(told('GET', settingPath, withMore, { allowExtraFields: true })).toEqual([]);
  expect(told('GET', settingPath, withCode(limited, 'a.new-one'), { allowExtraFields: true })).toEqual([]);
  expect(told('GET', settingPath, notLimited, { allowExtraFields: true })).toHaveLength(1);
});

test('a response to a request that calls no operation is checked against what the document says of such', () => {
  const notFound = withCode({ ...unknownMethod, status: 404 }, 'request.not-found');
  expect(told('GET', '/unknown', notFound)).toEqual([]);
  expect(told('GET', '/unknown', read)).toEqual(['status: the status 200 is not documented for GET /unknown']);
});

const { response, body } = example('getCase', 200);
const shown = body as Case;
const at = (minute: number) => `2026-03-02T12:0${minute}:00Z`;

/** The files are all analysed, one after the other, unless told otherwise. */
function caseOf(files: Partial<File>[], changes: Partial<Case>): HttpResponse {
  const whole = files.map((file, index): File => ({
    file_id: `00000000-0000-4000-8000-00000000000${index}`,
    label: 'a',
    uploaded_at: at(index),
    thumbnail_url: 'https://example.com/1.png',
    mime_type: 'application/pdf',
    analysis_status: 'analysis_complete',
    analysis_completed_at: at(index + 1),
    ...file,
  }));
  const complete = {
    files: whole,
    total_files: whole.length,
    file_analysis_status: 'file_analysis_complete',
    file_analysis_completed_at: at(whole.length),
  } as const;
  return { ...response, text: JSON.stringify({ ...shown, ...complete, ...changes }) };
}

const waiting = { file_analysis_status: 'waiting_for_file_analysis', file_analysis_completed_at: null } as const;
const first = (digit: number) => ({ uploaded_at: at(0), file_id: `00000000-0000-4000-8000-00000000000${digit}` });
const toldOf = (files: Partial<File>[], changes: Partial<Case>) =>
  told('GET', casePath, caseOf(files, changes)).map((message) => message.replace('case-relations: ', ''));

test.each<[string, Partial<File>[], Partial<Case>]>([
  ['files that were uploaded one after the other', [{}, {}], {}],
  ['files that were uploaded at once', [{ uploaded_at: at(0) }, { uploaded_at: at(0) }], {}],
  ['a file that waits', [{ analysis_status: 'analysing', analysis_completed_at: null }], waiting],
  ['no files', [], waiting],
])('the relations within a case hold for %s', (_what, files, changes) => {
  expect(toldOf(files, changes)).toEqual([]);
});

const disagrees = 'analysis_completed_at of a file does not agree with its analysis_status';
test.each<[string, Partial<File>[], Partial<Case>]>([
  ['is_locked does not agree with locked_at', [{}], { is_locked: true, locked_at: null }],
  ['total_files is not the number of files', [{}], { total_files: 2 }],
  ['a time is not in UTC', [{}], { created_at: '2026-03-02T10:15:00.000+01:00' }],
  ['a time is not in UTC', [{ uploaded_at: '2026-03-02T13:00:00+01:00' }], {}],
  ['the files are not ordered by uploaded_at, then file_id', [{ uploaded_at: at(2) }, { uploaded_at: at(1) }], {}],
  ['the files are not ordered by uploaded_at, then file_id', [first(9), first(8)], {}],
  ['a file is listed twice', [first(9), first(9)], {}],
  ['file_analysis_status does not agree with the files', [{}], waiting],
  ['file_analysis_completed_at does not agree with the files', [{}], { file_analysis_completed_at: at(2) }],
  [disagrees, [{ analysis_completed_at: null }], {}],
  [disagrees, [{ analysis_status: 'analysing' }], waiting],
  ['updated_at is before created_at', [{}], { created_at: at(2), updated_at: at(1) }],
  ['locked_at is before created_at', [{}], { is_locked: true, locked_at: '2026-03-01T12:00:00Z' }],
  ['uploaded_at of a file is before created_at of the case', [{}], { created_at: at(1), updated_at: at(2) }],
  ['analysis_completed_at of a file is before its uploaded_at', [{ uploaded_at: at(2) }], {}],
  ['mime_type of a file is not a media type', [{ mime_type: 'pdf' }], {}],
])('the relations within a case tell that %s', (message, files, changes) => {
  expect(toldOf(files, changes)).toContain(message);
});

const withBytes = (bytes: Buffer): HttpResponse => ({ ...read, bytes, text: bytes.toString() });

test('the bytes of a response are UTF-8', () => {
  expect(told('GET', settingPath, withBytes(Buffer.from('{"enabled":true}')))).toEqual([]);
  const cut = Buffer.concat([Buffer.from('{"enabled":true,"a":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]);
  expect(told('GET', settingPath, withBytes(cut))).toEqual(['body: the body is not valid UTF-8']);
});

test.each(['{"enabled":true,"enabled":true}', '{"enabled":true,"\\u0065nabled":false}'])(
  'the bytes of a response name each member once, unlike %s',
  (text) => {
    const message = 'body-once: the body has the member enabled twice in one object';
    expect(told('GET', settingPath, { ...read, text })).toEqual([message]);
  },
);

test('the bytes of a response may have a name in two objects, and as a text', () => {
  const text = JSON.stringify({ ...shown, metadata: { case_id: '', a: [{ b: 1 }, { b: 2 }], c: '"c":' } });
  expect(told('GET', casePath, { ...response, text })).toEqual([]);
});

test('the bytes of a response have one Content-Type, and one X-Request-Id', () => {
  const fieldLines = { 'content-type': ['application/json', 'text/html'], 'x-request-id': ['a', 'b'] };
  const twice = { ...read, fieldLines };
  expect(told('GET', settingPath, twice)).toEqual([
    'media type: the header Content-Type is sent more than once',
    'header: the header X-Request-Id is sent more than once',
  ]);
});

test.each([
  ['GET, HEAD, PUT', true],
  ['PUT,GET , HEAD', true],
  ['GET, PUT', false],
  ['GET, HEAD, OPTIONS, PUT', false],
  [undefined, false],
])('Allow: %s lists the methods of the path: %s', (allow, isRight) => {
  const found = told('DELETE', settingPath, withHeader(unknownMethod, 'allow', allow)).filter((message) =>
    message.startsWith('allow'),
  );
  expect(found).toEqual(isRight ? [] : [`allow: expected GET, HEAD, PUT in Allow, got "${allow ?? ''}"`]);
});

test.each(['2027-02-30T09:15:00Z', '2027-03-01T24:00:00Z', '2027-02-29T00:00:00+00:00'])(
  '%s is no date',
  (updated_at) => {
    const text = JSON.stringify({ ...shown, updated_at });
    const expected = [expect.stringContaining('must match format "date-time"')];
    expect(told('GET', casePath, { ...response, text })).toEqual(expected);
  },
);

test('error_details.field is the first field that is named', () => {
  const { response, body } = example('updateVerificationSetting', 400);
  const details = { field: 'other', errors: [{ field: 'enabled', message: 'm', rule: 'type' }] };
  const text = JSON.stringify({ ...body, error_details: details });
  expect(told('PUT', settingPath, { ...response, text })).toEqual([
    'body-once: error_details.field is not the first field that error_details.errors names',
  ]);
});

test.each([
  ['X-List', 'a,b \t, c', 'a, b, c'],
  ['Content-Type', 'text/html ;\tcharset=UTF-8', 'text/html;charset=UTF-8'],
  ['X-List', '"a , b\\" ; c" ,d', '"a , b\\" ; c", d'],
  ['Cache-Control', 'No-Store,MAX-AGE=5', 'no-store, max-age=5'],
  ['X-Cache-Control', 'No-Store', 'No-Store'],
  ['Cache-Control-X', 'No-Store', 'No-Store'],
])('the usual form of %s: %s', (name, value, usual) => {
  expect(inUsualForm(name, value)).toBe(usual);
});

const things = apiIn(`
/things:
  get:
    responses:
      200: &read { content: { application/json: { schema: { type: object, required: [id], properties: { id: {} } } } } }
      202: {}
      203:
        content:
          text/plain: { schema: { type: string, enum: [ok] } }
          text/tab-separated-values: { schema: { type: integer } }
          text/xml: { schema: { type: object, required: [id] } }
          application/octet-stream: { schema: { type: string, maxLength: 1 } }
      204: {}
      409: { content: { application/problem+json: { schema: {} } } }
      304: {}
  head: { responses: { 200: *read } }
`);

const problem = { 'content-type': 'application/Problem+JSON; profile="x"' };

test.each<[method: string, status: number, headers: HttpResponse['headers'], text: string, violations: string[]]>([
  ['GET', 200, { 'content-type': 'application/json \t; charset=utf-8' }, '{"id":1,"more":2,"more":2}', []],
  ['GET', 200, { 'content-type': 'application/json' }, '{}', ["body: the body must have required property 'id'"]],
  ['GET', 200, { 'content-type': 'application/json' }, '{', ['body: the body is not JSON']],
  ['GET', 200, { 'content-type': 'text/html' }, '{"id":1}', ['media type: the media type text/html is not documented']],
  ['GET', 200, {}, '{"id":1}', ['media type: the media type (none) is not documented']],
  ['GET', 202, {}, 'anything', []],
  ['GET', 203, { 'content-type': 'text/plain; charset=utf-8' }, 'ok', []],
  ['GET', 203, { 'content-type': 'text/plain' }, 'no', ['body: the body must be equal to one of the allowed values']],
  ['GET', 203, { 'content-type': 'text/tab-separated-values' }, '7', []],
  ['GET', 203, { 'content-type': 'text/tab-separated-values' }, 'x', ['body: the body must be integer']],
  ['GET', 203, { 'content-type': 'text/xml' }, '<id/>', []],
  ['GET', 203, { 'content-type': 'application/octet-stream' }, 'ok', []],
  ['GET', 204, {}, '', []],
  ['GET', 204, { 'content-length': '0' }, '', []],
  ['GET', 204, { 'content-length': '1' }, '', ['body: a response 204 has a body']],
  ['GET', 204, { 'transfer-encoding': 'chunked' }, '', ['body: a response 204 has a body']],
  ['GET', 204, {}, 'x', ['body: a response 204 has a body']],
  ['GET', 304, { 'content-length': '10' }, '', []],
  ['GET', 304, {}, 'x', ['body: a response 304 has a body']],
  ['GET', 409, problem, '{"status":409}', []],
  ['GET', 409, { 'content-type': 'application/problem+json' }, '[409]', []],
  ['GET', 409, problem, '{"status":400}', ["body: status in the body is 400, and the response's is 409"]],
  ['HEAD', 200, { 'content-type': 'application/json' }, '', []],
  ['HEAD', 200, { 'content-type': 'application/json' }, '{"id":1}', ['body: a response to HEAD has a body']],
])(
  'a response of another API, to %s with status %d, %j and the body %j',
  (method, status, headers, text, violations) => {
    expect(told(method, '/things', { status, headers, text }, { document: things })).toEqual(violations);
  },
);
