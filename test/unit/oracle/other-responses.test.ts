/** Responses of a document that is not this API's. */
import { expect, test } from '@jest/globals';
import type { HttpResponse } from '../../../contract/oracle/messages.ts';
import { responseViolations } from '../../../contract/oracle/response.ts';
import { apiOf } from '../document/fixture.ts';

const json = { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id: {} } } } };
const document = apiOf({
  '/things': {
    get: {
      responses: {
        '200': { description: 'Read.', content: json },
        '202': { description: 'Accepted.' },
        '203': {
          description: 'A text.',
          content: {
            'text/plain': { schema: { type: 'string', enum: ['ok'] } },
            'text/tab-separated-values': { schema: { type: 'integer' } },
            'text/xml': { schema: { type: 'object', required: ['id'] } },
            'application/octet-stream': { schema: { type: 'string', maxLength: 1 } },
          },
        },
        '204': { description: 'None.' },
        '409': { description: 'Conflict.', content: { 'application/problem+json': { schema: {} } } },
        '304': { description: 'Unchanged.' },
      },
    },
    head: { responses: { '200': { description: 'Read.', content: json } } },
  },
});

const problem = { 'content-type': 'application/Problem+JSON; profile="x"' };
const told = (method: string, status: number, headers: HttpResponse['headers'], text: string) =>
  responseViolations(method, '/things', { status, headers, text }, { document, allowExtraFields: false }).map(
    ({ rule, message }) => `${rule}: ${message}`,
  );

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
])('%s with status %d, %j and the body %j', (method, status, headers, text, violations) => {
  expect(told(method, status, headers, text)).toEqual(violations);
});
