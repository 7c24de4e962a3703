import { describe, expect, test } from '@jest/globals';
import { documentOf } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { exploredChecks } from '../../contract/plan/explored-checks.ts';
import { situationsOf } from '../../contract/plan/situations.ts';

const idsOf = (seed: number) => exploredChecks(ownDocument, seed).map(({ id }) => id);

const response = { description: '', headers: {}, content: {} };

/** A document with an operation as a later version of the project's own might have it. */
function documentWith(changes: object) {
  const createNote = {
    operationId: 'createNote',
    parameters: [{ name: 'book', in: 'path', required: true, schema: { type: 'string' }, example: 'blue' }],
    security: [{ apiKey: [] }],
    requestBody: {
      required: true,
      'x-max-body-bytes': 1024,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['text'],
            additionalProperties: false,
            properties: { text: { type: 'string', maxLength: 10 } },
          },
          examples: { short: { value: { text: 'short' } } },
        },
      },
    },
    responses: { '201': response, '400': response, '404': response, '415': response },
    'x-required-permission': null,
    'x-required-feature': null,
    ...changes,
  };
  return documentOf({
    openapi: '3.0.3',
    info: { title: ownDocument.title, version: '1.0.0' },
    paths: { '/notes/{book}': { post: createNote } },
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  });
}

test('the explored checks have ids of their own, the same for every seed', () => {
  const ids = idsOf(1);
  expect(new Set(ids).size).toBe(ids.length);
  expect(idsOf(2)).toEqual(ids);
});

describe('a new operation', () => {
  const noExample = 'a valid example of the request body (in the document, or under values in the configuration file)';
  test.each<[string, object, string]>([
    ['an unknown scheme', { security: [{ oauth: [] }] }, 'a known security scheme (in the document)'],
    [
      'a parameter without an example',
      { parameters: [{ name: 'book', in: 'path', required: true, schema: { type: 'string' } }] },
      'an example of the parameter book (in the document, or under values in the configuration file)',
    ],
    [
      'a body without a valid example',
      { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } },
      noExample,
    ],
    [
      'a form without fields',
      {
        requestBody: {
          content: { 'multipart/form-data': { schema: { type: 'object' } } },
        },
      },
      noExample,
    ],
  ])('with %s has situations that say what they need', (_name, changes, need) => {
    const [valid] = situationsOf(documentWith(changes), 1);
    expect(valid?.name).toMatch(/^createNote by [a-z_]+$/);
    expect(valid?.needs).toContain(need);
  });
});
