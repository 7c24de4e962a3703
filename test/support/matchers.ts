import { expect } from '@jest/globals';
import type { HttpResponse } from '../../contract/oracle/messages.ts';
import { responseViolations } from '../../contract/oracle/response.ts';
import { matchOperation, type Schema } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';

/** Fails unless the response to this request is one that the document describes, with its fields in that order. */
export function expectConformance(method: string, path: string, response: HttpResponse): void {
  expect(responseViolations(method, path, response)).toEqual([]);
  const responses = matchOperation(ownDocument, method, path)?.responses ?? ownDocument.serviceResponses;
  const schema = responses[String(response.status)]?.content['application/json']?.schema;
  if (schema && response.text !== '') expect(misplacedFields(schema, JSON.parse(response.text))).toEqual([]);
}

/** The fields of a value that do not stand in the order in which its schema lists them. */
export function misplacedFields(schema: Schema, value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => misplacedFields(schema.items ?? {}, item, place));
  if (typeof value !== 'object' || value === null) return [];
  const parts = [schema, ...((schema['allOf'] ?? []) as Schema[])];
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
  const names = Object.keys(value).filter((name) => Object.hasOwn(properties, name));
  const inOrder = Object.keys(properties).filter((name) => names.includes(name));
  return [
    ...names.filter((name, index) => inOrder[index] !== name).map((name) => `${place}/${name}`),
    ...Object.entries(value).flatMap(([name, item]) =>
      misplacedFields(properties[name] ?? {}, item, `${place}/${name}`),
    ),
  ];
}
