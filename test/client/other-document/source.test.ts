import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { documentOf } from '../../../contract/document/index.ts';
import { clientSource } from '../../../scripts/generate/client-source.ts';

interface Fixture {
  components: object;
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

test('each schema has a type of its name, but errors and what is no name', () => {
  const { 'schemas.ts': source } = sourceAfter((document) => {
    Object.assign(document.components, { schemas: { Case: {}, Error: {}, 'a.b': {} } });
  });
  expect([...source.matchAll(/export type (\S+) =/g)].map(([, name]) => name)).toEqual(['Case']);
});
