import { expect, test } from '@jest/globals';
import { documentedExamples } from '../../../contract/mock/examples.ts';
import { apiOf } from '../document/fixture.ts';

test('every response is shown by its examples, or else by its schema or its status alone', () => {
  const document = apiOf({
    '/things': {
      get: {
        operationId: 'listThings',
        responses: {
          '200': {
            description: 'Read.',
            headers: {
              'X-Total': { schema: { type: 'integer' }, example: 3 },
              'Content-Length': { schema: { type: 'integer' }, example: 279 },
              'X-Next': { schema: { type: 'string', example: 'b' } },
              'X-Other': { schema: { type: 'string' } },
              'X-Pages': { required: true, schema: { type: 'integer', minimum: 2 } },
            },
            content: {
              'application/json': { examples: { one: { value: { id: 1 } }, two: { value: null } } },
              'text/csv': { schema: { type: 'string', example: 'id\n1' } },
              '*/*': { schema: { type: 'string', format: 'binary' } },
            },
          },
          '204': { description: 'None.' },
          '406': {
            description: 'Without an example.',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { left: { type: 'integer', minimum: 4 } } },
              },
            },
          },
          '409': {
            description: 'By a pattern.',
            content: { 'application/json': { schema: { type: 'string', pattern: '^[xyz]{5}$' } } },
          },
          '4XX': { description: 'Refused.' },
          '5xx': { description: 'Failed.' },
          default: { description: 'Otherwise.' },
        },
      },
    },
  });
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
