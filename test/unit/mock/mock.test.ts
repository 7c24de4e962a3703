import { describe, expect, test } from '@jest/globals';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { preferenceOf } from '../../../contract/mock/app.ts';
import { documentedExamples } from '../../../contract/mock/examples.ts';
import { validRequestOf } from '../../../scripts/generate/stubs/requests.ts';
import { startMock } from '../../support/mock.ts';
import { expectConformance, settingPath } from '../../support/harness.ts';
import { apiIn } from '../document/fixture.ts';

const service = await startMock({ region: 'ca' });

const casePath = '/cases/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';
const key = { 'x-api-key': 'any' };
const token = { authorization: 'Bearer any' };
const json = { 'content-type': 'application/json' };

/** Calls the mock and checks its response, whatever it is, against the document. */
async function call(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const init = body === undefined ? { method, headers } : { method, headers, body };
  const response = await fetch(service.url + path, init);
  const text = await response.text();
  expectConformance(method, path, { status: response.status, headers: Object.fromEntries(response.headers), text });
  const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
  const parsed = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body: parsed };
}

const everyExample = ownDocument.operations.flatMap((operation) =>
  (documentedExamples(ownDocument).get(operation.operationId) ?? []).map((example) => {
    return { ...example, operationId: operation.operationId, request: validRequestOf(operation) };
  }),
);

describe('Prefer chooses', () => {
  test.each(everyExample)('$operationId $status $name', async ({ request, status, name, body: example }) => {
    const prefer = { prefer: `code=${status}, example=${name}` };
    const { method, path, headers, body } = request;
    const response = await call(
      method,
      path,
      { ...key, ...token, ...prefer, ...(body !== undefined && json), ...headers },
      body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    );
    expect(response.status).toBe(status);
    // A body that is not JSON is checked against the document by the call.
    if (typeof example === 'object') expect(response.body).toEqual(example);
    expect(response.headers.get('preference-applied')).toBe(prefer.prefer);
    expect(response.headers.has('retry-after')).toBe(status === 429 || status === 503);
  });

  test('the first example of a status, and an example of whatever status', async () => {
    const forbidden = await call('GET', settingPath, { ...key, prefer: 'code=403' });
    expect(forbidden.body['error_code']).toBe('request.forbidden');
    expect((await call('GET', settingPath, { ...key, prefer: 'example=unavailable' })).status).toBe(503);
  });

  test.each(['code=418', 'example=no-such', 'code=200, example=unavailable', 'code=', 'code'])(
    'nothing with %s, which is told with what there is',
    async (prefer) => {
      const { status, body, headers } = await call('GET', casePath, { ...token, prefer });
      expect([status, headers.get('preference-applied')]).toEqual([500, null]);
      expect(body['error_message']).toContain('no such example of getCase');
      expect(body['error_details']).toMatchObject({
        field: 'Prefer',
        examples: expect.arrayContaining(['code=200, example=waiting', 'code=503, example=unavailable']) as unknown,
      });
    },
  );
});

test('without Prefer a success is returned, whatever the case, and an update with the value that it has', async () => {
  const { status, body, headers } = await call('GET', '/cases/any', token);
  expect([status, body['label']]).toEqual([200, 'Supplier onboarding 1042']);
  expect(headers.get('preference-applied')).toBeNull();
  expect((await call('GET', settingPath, { ...key, prefer: 'respond-async, wait=10' })).status).toBe(200);
  for (const update of ['{"enabled":true}', '{"enabled":false}'])
    expect((await call('PUT', settingPath, { ...key, ...json }, update)).body).toEqual(JSON.parse(update));
});

test.each<[status: number, why: string, ...Parameters<typeof call>]>([
  [400, 'a field of another type', 'PUT', settingPath, { ...key, ...json }, '{"enabled":1}'],
  [401, 'no credential', 'GET', settingPath],
  [401, 'no credential, before the body is looked at', 'PUT', settingPath, json, '{'],
  [404, 'an unknown path', 'GET', '/case', token],
  [405, 'an unknown method', 'DELETE', settingPath, key],
  [413, 'a large body', 'PUT', settingPath, { ...key, ...json }, `{"enabled":true}${' '.repeat(16 * 1024)}`],
  [415, 'another media type', 'PUT', settingPath, { ...key, 'content-type': 'text/plain' }, '{"enabled":true}'],
])(
  'whatever it prefers, a request is refused with %i for %s',
  async (status, _why, method, path, headers = {}, body) => {
    const response = await call(method, path, { ...headers, prefer: 'code=200' }, body);
    expect([response.status, response.headers.get('preference-applied')]).toEqual([status, null]);
    const challenge = status === 401 ? 'ApiKey realm="document-analysis-ca"' : null;
    expect(response.headers.get('www-authenticate')).toBe(challenge);
  },
);

test('HEAD has the headers of GET, and a response the id of its request', async () => {
  const head = await call('HEAD', casePath, { ...token, 'x-request-id': 'mine', prefer: 'code=404' });
  expect([head.status, head.headers.get('x-request-id')]).toEqual([404, 'mine']);
});

test.each<[header: string, code: string | undefined, example: string | undefined]>([
  ['=, ;, "', undefined, undefined],
  ['Code=403, CODE=404', '403', undefined],
  ['code', '', undefined],
  ['code = 403 ,, example = "feature-not-enabled"', '403', 'feature-not-enabled'],
  ['respond-async, wait=10; unit="a,b", code=200', '200', undefined],
  ['codes=403, for-example=a', undefined, undefined],
])('Prefer: %s', (header, code, example) => {
  expect([preferenceOf(header, 'code'), preferenceOf(header, 'example')]).toEqual([code, example]);
});

test('every response is shown by its examples, or else by its schema or its status alone', () => {
  const document = apiIn(`
/things:
  get:
    operationId: listThings
    responses:
      200:
        headers:
          X-Total: { schema: { type: integer }, example: 3 }
          Content-Length: { schema: { type: integer }, example: 279 }
          X-Next: { schema: { type: string, example: b } }
          X-Other: { schema: { type: string } }
          X-Pages: { required: true, schema: { type: integer, minimum: 2 } }
        content:
          application/json: { examples: { one: { value: { id: 1 } }, two: { value: null } } }
          text/csv: { schema: { type: string, example: "id\\n1" } }
          '*/*': { schema: { type: string, format: binary } }
      204: {}
      406: { content: { application/json: { schema: { properties: { left: { type: integer, minimum: 4 } } } } } }
      409: { content: { application/json: { schema: { type: string, pattern: '^[xyz]{5}$' } } } }
      4XX: {}
      5xx: {}
      default: {}
`);
  const headers = { 'X-Total': '3', 'X-Next': 'b', 'X-Pages': '2' };
  const shown = documentedExamples(document).get('listThings') ?? [];
  expect(
    shown.map(({ status, name, mediaType, body, headers: sent }) => [status, name, mediaType, body, sent]),
  ).toEqual([
    [200, 'one', 'application/json', { id: 1 }, headers],
    [200, 'two', 'application/json', null, headers],
    [200, 'example', 'text/csv', 'id\n1', headers],
    [200, 'example', 'application/octet-stream', 'a', headers],
    [204, 'example', undefined, undefined, {}],
    [406, 'example', 'application/json', { left: 4 }, {}],
    [409, 'example', 'application/json', expect.stringMatching(/^[xyz]{5}$/), {}],
    [400, 'example', undefined, undefined, {}],
    [500, 'example', undefined, undefined, {}],
    [500, 'example', undefined, undefined, {}],
  ]);
});
