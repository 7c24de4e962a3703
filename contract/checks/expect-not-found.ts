import { randomUUID } from 'node:crypto';
import type { DocumentedOperation, ParameterObject, Schema } from '../document/document.ts';
import type { Answer, CheckContext, RequestSpec } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { expectStatus } from './expect.ts';
import { oracleOf } from './schema/oracle.ts';

/** The operation's path parameters. */
export function identifierParametersOf({ parameters = [] }: DocumentedOperation): ParameterObject[] {
  return parameters.filter((parameter) => parameter.in === 'path');
}

/** @throws {Error} if the answer to an identifier, ready for the path, is not the one that an unknown identifier gets */
export async function expectIdentifiesNothing(
  baseline: Baseline,
  { name, schema }: ParameterObject,
  identifier: string,
  context: CheckContext,
  call: (request: RequestSpec) => Promise<Answer>,
): Promise<void> {
  const requestOf = (text: string) => baseline.request(context, { path: baseline.path(context, { [name]: text }) });
  const malformed = baseline.operation.responses['400'] !== undefined && !isValid(schema, identifier);
  const answer = await call(requestOf(identifier));
  expectStatus(answer, malformed ? 400 : 404);
  if (malformed) return;
  const unknown = await call(requestOf(unknownIdentifier(schema)));
  expectStatus(unknown, 404);
  if (answer.text !== unknown.text)
    throw new Error('expected the same body, byte for byte, as for an identifier that is unknown');
}

function unknownIdentifier({ type }: Schema): string {
  return type === 'integer' || type === 'number' ? '2147483647' : randomUUID();
}

function isValid(schema: Schema, identifier: string): boolean {
  const numeric = schema.type === 'integer' || schema.type === 'number';
  try {
    const text = decodeURIComponent(identifier);
    return oracleOf(schema)(numeric && text.trim() !== '' ? Number(text) : text).length === 0;
  } catch {
    return false;
  }
}
