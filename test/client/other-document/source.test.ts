import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { documentOf } from '../../../contract/document/index.ts';
import { clientSource } from '../../../scripts/generate/client-source.ts';

interface Fixture {
  servers: object[];
  paths: Record<string, Record<string, Record<string, unknown> & { parameters: object[] }>>;
}

const text = await readFile(join(import.meta.dirname, 'openapi.yaml'), 'utf8');

/** The source of the client of the document, after a change of it. */
function sourceAfter(change: (document: Fixture) => void): Record<'client.ts' | 'schemas.ts', string> {
  const document = parse(text) as Fixture;
  change(document);
  return clientSource(documentOf(document));
}

const listCases = ({ paths }: Fixture) => paths['/cases']?.['get'] ?? { parameters: [] };

test.each<[string, string, (document: Fixture) => void]>([
  [
    'a cookie parameter',
    'listCases: the client has no form for the cookie parameter session',
    (document) => listCases(document).parameters.push({ name: 'session', in: 'cookie', schema: { type: 'string' } }),
  ],
  [
    'a header parameter of the name of a query parameter',
    'listCases: the client cannot tell the query parameter limit from the header limit',
    (document) => listCases(document).parameters.push({ name: 'limit', in: 'header', schema: { type: 'string' } }),
  ],
  [
    'an operation that cannot succeed',
    'listCases: no response with a status from 200 to 399 is described',
    (document) => (listCases(document)['responses'] = { 400: { description: 'No.' } }),
  ],
  [
    'a path parameter that is not described',
    'lockCase: the path parameter id is not described',
    ({ paths }) => Object.assign(paths['/cases/{id}/lock']?.['post'] ?? {}, { parameters: [] }),
  ],
  [
    'a server without a region',
    'https://b.example: x-region is absent',
    ({ servers }) => servers.push({ url: 'https://b.example' }),
  ],
  [
    'paths with servers that differ',
    'paths with servers of their own must have the same ones',
    ({ paths }) => {
      const own = (url: string) => [{ url, 'x-region': 'uk' }];
      Object.assign(paths['/status'] ?? {}, { servers: own('https://a.example') });
      Object.assign(paths['/cases'] ?? {}, { servers: own('https://b.example') });
    },
  ],
])('the client has no form for %s', (_what, message, change) => {
  expect(() => sourceAfter(change)).toThrow(message);
});

test('a description cannot end its comment', () => {
  const { 'client.ts': source } = sourceAfter((document) => (listCases(document)['description'] = 'All of */ them.'));
  expect(source).toContain('   * All of *\\/ them.\n');
});

test('a method tells its parameters, its errors, and the response by the name of its schema', () => {
  const { 'client.ts': source } = sourceAfter(() => undefined);
  expect(source).toContain('   * @param parameters.limit The cases of a page.\n');
  expect(source).toContain('   * Headers of the response: Link.\n');
  expect(source).toContain('): Call<schemas.Case>;\n');
  expect(source).toContain('   * @throws {ApiError} 409: case.already-locked\n');
});

test('an argument has a name that TypeScript takes', () => {
  const { 'client.ts': source } = sourceAfter(() => undefined);
  expect(source).toMatch(/readReport\(_default: /);
  expect(source).toMatch(/readFileContent\(id: .*, fileId: /);
});

test('each schema has a type of its name, but errors and what is no name', () => {
  const { 'schemas.ts': source } = sourceAfter((document) => {
    Object.assign(document, {
      components: {
        ...(parse(text) as { components: object }).components,
        schemas: { Case: {}, Error: {}, 'a.b': {} },
      },
    });
  });
  expect([...source.matchAll(/export type (\S+) =/g)].map(([, name]) => name)).toEqual(['Case']);
});
