import { describe, expect, test } from '@jest/globals';
import { generatedChecks } from '../../contract/checks/index.ts';
import { documentOf } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { situationsOf } from '../../contract/plan/situations.ts';

const checks = generatedChecks(1);
const idsOf = (seed: number, document = ownDocument) => generatedChecks(seed, document).map(({ id }) => id);

const response = { description: '', headers: {}, content: {} };

/** A document with an operation as a later version of the project's own might have it, and a reader of the same path. */
function documentWith(changes: object = {}, reader?: { operationId: string }) {
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
    paths: {
      '/notes/{book}': {
        post: createNote,
        ...(reader && { get: { ...createNote, requestBody: undefined, ...reader } }),
      },
    },
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  });
}

describe('the generated checks', () => {
  test('have ids of their own, the same for every seed', () => {
    const ids = idsOf(1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(idsOf(2)).toEqual(ids);
  });

  test.each(ownDocument.operations.map(({ operationId }) => operationId))('cover each respect of %s', (operationId) => {
    for (const respect of ['valid-request', 'security.absent', 'security.doubled-header'])
      expect(idsOf(1)).toContain(`generated.${operationId}.${respect}`);
  });

  test('provoke less than 100 failed authentications', () => {
    const refused = checks.filter(({ id }) => /\.security\./.test(id));
    expect(refused.length + ownDocument.operations.length * 2).toBeLessThan(100);
  });
});

/** As it is for an API of others, of which no decision is known. */
const ofOthers = { ...documentWith({}, { operationId: 'readNote' }), title: 'Notes' };

describe('a new operation', () => {
  test.each([
    'createNote by owner_key with the body text.missing',
    'createNote by owner_key with the body text.above-max-length',
    'createNote by owner_key with a body of text',
    'createNote by owner_key of an identifier that is sql or',
    'createNote by owner_key with the method DELETE',
    'createNote by owner_key with the method GET at a path with trailing slash',
    'createNote by a credential that is absent',
  ])('is asked %s, without a line of code', (name) => {
    expect(situationsOf(documentWith(), 1).map((each) => each.name)).toContain(name);
  });

  test.each(['body.text.missing', 'media-type.text', 'body.extra-field.unexpected', 'valid-request'])(
    'of another API has the check %s',
    (name) => {
      expect(idsOf(1, ofOthers)).toContain(`generated.createNote.${name}`);
    },
  );

  test('is sent from the document and the credentials alone', async () => {
    const sent: unknown[] = [];
    const [check] = generatedChecks(1, documentWith());
    await check?.run({
      credentials: { base_url: '', case_base_url: '' },
      operator: undefined,
      seed: 1,
      call: (request) => {
        sent.push(request);
        return Promise.resolve({ status: 201, headers: {}, text: '' });
      },
      credential: (name) => `the ${name}`,
      tell: () => undefined,
    });
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/notes/blue',
        headers: [
          ['x-api-key', 'the owner_key'],
          ['Content-Type', 'application/json'],
        ],
        body: '{"text":"short"}',
      },
    ]);
  });

  test.each<[string, object, string]>([
    ['an unknown scheme', { security: [{ oauth: [] }] }, 'a known security scheme (in the document)'],
    [
      'a parameter without an example',
      { parameters: [{ name: 'book', in: 'path', required: true, schema: { type: 'string' } }] },
      'an example of the parameter book (in the document, or under values in the configuration file)',
    ],
    [
      'a body without a valid example',
      { requestBody: { content: { 'application/json': { schema: { type: 'object' }, examples: {} } } } },
      'a valid example of the request body (in the document, or under values in the configuration file)',
    ],
    [
      'a form without fields',
      {
        requestBody: {
          content: { 'multipart/form-data': { schema: { type: 'object' }, examples: {}, partTypes: {} } },
        },
      },
      'a valid example of the request body (in the document, or under values in the configuration file)',
    ],
  ])('with %s has checks that say what they need', (_name, changes, need) => {
    const [validRequest] = generatedChecks(1, documentWith(changes));
    expect(validRequest?.id).toBe('generated.createNote.valid-request');
    expect(validRequest?.needs).toContain(need);
  });
});
