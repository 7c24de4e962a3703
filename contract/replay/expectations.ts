/** What Dredd expects of a documented response, and what counts of that which it finds. */
import type { Transaction } from 'hooks';
import { type JsonSchema, jsonSchemaOf, schemaCopier } from '../document/schemas.ts';
import type { Schema } from '../document/model.ts';
import type { Violation } from '../oracle/messages.ts';
import { closedSchema } from '../oracle/schema.ts';
import type { ReplayCase } from '../plan/provoked.ts';
import type { SessionOptions } from '../run/session.ts';

/** The parts of a response in which Dredd detects violations of a rule. */
const partsOfRule: Readonly<Record<string, readonly string[]>> = {
  header: ['headers'],
  'media type': ['headers', 'body'],
  body: ['body'],
};

/** Dredd's findings that the `conformance` checks do not report; for a response with another status, only the status. */
export function beyondConformance(verdict: string, violations: readonly Violation[]): string | undefined {
  const counted = new Set(violations.flatMap(({ rule }) => partsOfRule[rule] ?? []));
  const lines = verdict.split('\n');
  const ofStatus = lines.filter((line) => line.startsWith('statusCode: '));
  const left = lines.filter((line) => ![...counted].some((part) => line.startsWith(`${part}: `)));
  return (ofStatus.length > 0 ? ofStatus : left).join('\n') || undefined;
}

/** The formats that Dredd supports. It fails on others, which OpenAPI permits. */
const formats =
  /^(date|time|date-time|email|hostname|ipv4|ipv6|uri|uri-reference|uri-template|json-pointer|relative-json-pointer|regex|uuid)$/;

/**
 * Converts a schema to draft-07, which Dredd reads. A closed schema refuses undocumented values of an extensible
 * enumeration and undocumented properties, which draft-07 cannot express for a composition.
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  const withKnownKeywords = schemaCopier((copy) => {
    if (closed && copy['x-extensible-enum']) copy.enum = copy['x-extensible-enum'];
    if (copy.format !== undefined && !formats.test(copy.format)) delete copy.format;
    // In binary fractions, 19.99 is no multiple of 0.01; the conformance checks allow for that.
    if (!Number.isInteger(copy['multipleOf'])) delete copy['multipleOf'];
  });
  const known = withKnownKeywords(closed ? closedSchema(schema) : schema);
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...jsonSchemaOf(known) };
}

/** Makes a transaction expect the required headers, and a body of the schema, if any, in place of Dredd's example. */
export function expectDocumented(
  { expected }: Transaction,
  { operation, status, json }: ReplayCase,
  { target, allowExtraFields }: Pick<SessionOptions, 'target' | 'allowExtraFields'>,
): void {
  const documented = Object.entries(operation.responses[status]?.headers ?? {});
  const names = documented.flatMap(([name, { required }]) => (required ? [name.toLowerCase()] : []));
  if (json) names.push('content-type');
  expected.statusCode = status;
  const required = Object.entries(expected.headers).filter(([name]) => names.includes(name.toLowerCase()));
  expected.headers = Object.fromEntries(required);
  delete expected.body;
  delete expected.bodySchema;
  if (json) expected.bodySchema = toJsonSchema(json.schema, !allowExtraFields && target.respondsWithExamples === true);
}
