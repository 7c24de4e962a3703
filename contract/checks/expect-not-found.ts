import { randomUUID } from 'node:crypto';
import type { Operation, Parameter, Schema } from '../document/model.ts';
import type { CheckContext } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { expectStatus } from './expect.ts';
import { oracleOf } from './schema/oracle.ts';

/** The operation's path parameters. */
export function identifierParametersOf({ parameters }: Operation): Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'path');
}

/** @throws {Error} if a URL-encoded identifier gets another response than an unknown identifier does */
export async function expectNotFound(
  baseline: Baseline,
  { name, schema }: Parameter,
  identifier: string,
  context: CheckContext,
): Promise<void> {
  const requestOf = (text: string) => baseline.request(context, { path: baseline.path(context, { [name]: text }) });
  const malformed = baseline.operation.responses['400'] !== undefined && !isValid(schema, identifier);
  const response = await context.call(requestOf(identifier));
  expectStatus(response, malformed ? 400 : 404);
  if (malformed) return;
  const unknown = await context.call(requestOf(unknownIdentifier(schema)));
  expectStatus(unknown, 404);
  if (response.text !== unknown.text) throw new Error('expected exactly the same body as for an unknown identifier');
}

function unknownIdentifier({ type }: Schema): string {
  return type === 'integer' || type === 'number' ? '2147483647' : randomUUID();
}

/** Whether URL-encoded text has the documented form. Text that cannot be decoded is checked as it is. */
export function isValid(schema: Schema, identifier: string): boolean {
  const numeric = schema.type === 'integer' || schema.type === 'number';
  const text = decoded(identifier);
  return oracleOf(schema)(numeric && text.trim() !== '' ? Number(text) : text).length === 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
