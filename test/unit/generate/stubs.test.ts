import { expect, test } from '@jest/globals';
import { type Operation } from '../../../contract/document/index.ts';
import { fileNameOf } from '../../../scripts/generate/files.ts';
import { isDerived, refusedRequestsOf, validRequestOf } from '../../../scripts/generate/stubs/requests.ts';
import { apiOf } from '../document/fixture.ts';

const string = { type: 'string' };
const parameter = (place: string, name: string, schema: object, more: object = { required: true }) =>
  Object.assign({ in: place, name, schema }, more);
const error = (code: string) => ({
  description: 'An error',
  content: { 'application/json': { examples: { one: { value: { error_code: code, error_message: 'No.' } } } } },
});
const pdf = { content: { 'application/pdf': {} } };
const securitySchemes = {
  key: { type: 'apiKey', in: 'header', name: 'x-key' },
  token: { type: 'http', scheme: 'bearer' },
};
const document = apiOf(
  {
    '/status': { get: { operationId: 'getStatus', security: [], responses: {} } },
    '/cases/{id}/notes': {
      post: {
        operationId: 'addNote',
        summary: 'Add a note',
        security: [{ key: [] }],
        'x-required-permission': 'notes:write',
        'x-required-feature': 'notes',
        parameters: [
          parameter('path', 'id', string, { required: true, example: 'a/b' }),
          parameter('query', 'kind', { type: 'string', enum: ['short', 'long'] }),
          parameter('query', 'tags', { type: 'array', items: string }, {}),
          parameter('header', 'If-Match', { type: 'integer', minimum: 3 }),
        ],
        requestBody: { 'x-max-body-bytes': 100, content: { 'application/json': { example: { text: 'Hello' } } } },
        responses: {
          '201': { description: 'Added', content: { 'application/json': { example: { id: 1 } } } },
          '204': { description: 'Done' },
          '409': error('request.notes.too-many'),
        },
      },
    },
    '/files': { put: { operationId: 'putFile', security: [], requestBody: pdf, responses: {} } },
    '/labels': {
      patch: {
        operationId: 'patchLabel',
        security: [],
        parameters: [
          parameter('query', 'states', { type: 'array', items: string }, { required: true, example: ['a', 'b'] }),
          parameter('query', 'since', { type: 'string', format: 'date' }),
        ],
        requestBody: { required: true, content: { 'application/merge-patch+json': { example: { label: null } } } },
        responses: {
          '200': { description: 'OK', content: { 'application/hal+json': { example: { label: null } } } },
        },
      },
    },
    '/regions/{region}/notes/{id}': {
      put: {
        operationId: 'putNote',
        security: [],
        parameters: [
          parameter('path', 'region', { type: 'string', enum: ['uk', 'ca'] }),
          parameter('path', 'id', string, { required: true, example: '7' }),
          parameter('query', 'states', { type: 'array', items: { type: 'string', enum: ['open'] } }, {}),
        ],
        requestBody: { required: true, content: { 'text/plain': { example: 'A note' } } },
        responses: {},
      },
    },
  },
  { components: { securitySchemes } },
);

function operation(operationId: string): Operation {
  const found = document.operations.find((candidate) => candidate.operationId === operationId);
  if (!found) throw new Error(`There is no ${operationId}.`);
  return found;
}

test.each([
  ['getCase', 'get-case'],
  ['listV2Files', 'list-v2-files'],
  ['get2', 'get2'],
])('the files of %s are named %s', (operationId, name) => {
  expect(fileNameOf(operationId)).toBe(name);
});

test('a valid request has the required parameters, a body, and what describes it', () => {
  expect(validRequestOf(operation('addNote'))).toEqual({
    method: 'POST',
    path: '/cases/a%2Fb/notes?kind=short',
    headers: { 'If-Match': '3' },
    body: { text: 'Hello' },
  });
  const file = { headers: { 'content-type': 'application/pdf' }, body: 'x' };
  expect(validRequestOf(operation('putFile'))).toMatchObject(file);
  expect(validRequestOf(operation('patchLabel'))).toEqual({
    method: 'PATCH',
    path: '/labels?states=a&states=b&since=2026-03-02',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { label: null },
  });
  const status = { method: 'GET', path: '/status', headers: {}, body: undefined };
  expect(validRequestOf(operation('getStatus'))).toEqual(status);
});

const json = { 'content-type': 'application/json' };
const textual = { 'content-type': 'text/plain' };
test.each<[operationId: string, status: string, refused: object]>([
  ['addNote', '413', { 'a body of one byte too many': { body: ' '.repeat(101), headers: json } }],
  ['addNote', '415', { 'a body of another media type': { headers: { 'content-type': 'text/x-unsupported' } } }],
  [
    'addNote',
    '400',
    {
      'a body that is not JSON': { body: '{', headers: { 'If-Match': '3', ...json } },
      'a value that the query parameter kind cannot have': { path: '/cases/a%2Fb/notes?kind=short&kind=no-such-value' },
      'a value that the header parameter If-Match cannot have': { headers: { 'If-Match': 'no-such-value' } },
    },
  ],
  [
    'putNote',
    '400',
    {
      'no body': { body: '', headers: textual },
      'a value that the path parameter region cannot have': { path: '/regions/no-such-value/notes/7' },
      'a value that the query parameter states cannot have': { path: '/regions/uk/notes/7?states=no-such-value' },
    },
  ],
  ['patchLabel', '400', { 'a body that is not JSON': { headers: { 'content-type': 'application/merge-patch+json' } } }],
  ['putFile', '413', {}],
  ['addNote', '409', {}],
])('requests that are refused: %s %s', (operationId, status, refused) => {
  const requests = refusedRequestsOf(operation(operationId), status);
  expect(requests).toMatchObject(refused);
  expect(Object.keys(requests)).toEqual(Object.keys(refused));
});

test('what follows from the document are refusals of callers and requests, and failures', () => {
  const statuses = ['200', '400', '401', '403', '404', '409', '413', '415', '429', '500', '503'];
  const derived = (operationId: string) => statuses.filter((status) => isDerived(operation(operationId), status));
  expect(derived('addNote').join()).toBe('400,401,403,413,415,429,500,503');
  expect(derived('getStatus').join()).toBe('429,500,503');
});
