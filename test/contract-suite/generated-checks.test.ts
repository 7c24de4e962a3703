import { describe, expect, test } from '@jest/globals';
import { generatedChecks } from '../../contract/checks/index.ts';
import { documentOf } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';

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
    for (const respect of [
      'valid-request',
      'security.absent',
      'security.doubled-header',
      'query.unknown',
      'random.query',
    ])
      expect(idsOf(1)).toContain(`generated.${operationId}.${respect}`);
  });

  test.each([
    'generated.updateVerificationSetting.body.enabled.null',
    'generated.updateVerificationSetting.body.extra-field.__proto__',
    'generated.updateVerificationSetting.body.size.one-byte-more',
    'generated.updateVerificationSetting.body.faults-named',
    'generated.updateVerificationSetting.media-type.gzip',
    'generated.getCase.parameter.id.other-organisation',
    'generated.getCase.method.DELETE',
    'generated.getVerificationSetting.method.HEAD',
    'generated.paths.trailing-slash.updateVerificationSetting',
    'generated.paths.unknown-root.anonymous',
  ])('have %s', (id) => {
    expect(idsOf(1)).toContain(id);
  });

  test('show rules only by what the document refuses', () => {
    const shown = (id: string) => checks.find((check) => check.id === id)?.rules;
    expect(shown('generated.updateVerificationSetting.body.enabled.null')).toEqual(['4.2-R1']);
    expect(shown('generated.updateVerificationSetting.body.enabled.false')).toEqual([]);
    expect(shown('generated.getVerificationSetting.security.absent')).toEqual(['5-A1']);
    expect(shown('generated.getCase.security.absent')).toEqual([]);
  });

  test('provoke less than 100 failed authentications', () => {
    const refused = checks.filter(({ id }) => /\.security\./.test(id));
    expect(refused.length + ownDocument.operations.length * 2).toBeLessThan(100);
  });
});

describe('a new operation', () => {
  test('gets its checks without a line of code', () => {
    const ids = idsOf(1, documentWith());
    for (const id of [
      'body.text.missing',
      'body.text.above-max-length',
      'media-type.text',
      'security.absent',
      'parameter.book.sql-or',
      'method.DELETE',
      'random.body',
    ])
      expect(ids).toContain(`generated.createNote.${id}`);
    expect(ids).toContain('generated.paths.trailing-slash.createNote');
  });

  test('is overridden with a method that its path does not document', () => {
    const overridden = idsOf(1, documentWith({}, { operationId: 'readNote' })).filter((id) =>
      id.endsWith('overridden'),
    );
    expect(overridden).toEqual(['generated.readNote.method.PATCH.overridden']);
  });

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
