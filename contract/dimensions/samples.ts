import fc from 'fast-check';
import type { Schema } from '../document/model.ts';
import { oracleOf } from '../oracle/schema.ts';

const byFormat: Record<string, string> = {
  uuid: '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
  'date-time': '2026-03-02T09:15:00Z',
  date: '2026-03-02',
  time: '09:15:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** The maximum number of items in a sample, whatever its schema requires. */
const mostItems = 100;

/**
 * A value that the schema provides or is likely to accept; callers validate it.
 * @param fields the fields of objects: those that a schema requires, or all that a response may have
 * @param outer the schemas that contain this one; a recursive one stays empty
 */
export function sampleOf(
  schema: Schema,
  fields: 'all' | 'required' = 'required',
  outer: readonly Schema[] = [],
): unknown {
  if (outer.includes(schema)) return null;
  const within = [...outer, schema];
  const inner = (part: Schema) => sampleOf(part, fields, within);
  const given = schema.example ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const { allOf, anyOf, oneOf, ...rest } = schema as Record<string, Schema[] | undefined>;
  if (allOf) return inner(merged(schema, allOf));
  const alternatives = oneOf ?? anyOf ?? [];
  if (alternatives.length > 0)
    return firstValid(schema, alternatives, (part) => inner(schema.properties ? merged(rest, [part]) : part));
  switch (schema.type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'array':
      return schema.items && (outer.length < 2 || (schema.minItems ?? 0) > 0)
        ? Array.from({ length: Math.min(schema.minItems ?? 1, mostItems) || 1 }, () => inner(schema.items ?? {}))
        : [];
    default: {
      const names = fields === 'all' ? allFieldsOf(schema, within) : neededFieldsOf(schema);
      return Object.fromEntries(names.map((name) => [name, inner(schema.properties?.[name] ?? {})]));
    }
  }
}

/** Of several alternatives, the first that makes the whole valid: `oneOf` refuses what matches two. */
function firstValid(schema: Schema, alternatives: readonly Schema[], make: (part: Schema) => unknown): unknown {
  for (const part of alternatives) {
    const value = make(part);
    if (alternatives.length === 1 || oracleOf(schema)(value).length === 0) return value;
  }
  return make(alternatives[0] ?? {});
}

function stringOf({ format = '', minLength = 1, pattern }: Schema): string {
  const usual = byFormat[format] ?? 'a'.repeat(minLength);
  if (pattern === undefined || oracleOf({ pattern })(usual).length === 0) return usual;
  return textsMatching(pattern, 1, 20).find((text) => text.length >= minLength) ?? usual;
}

/** The generators of the patterns: one of negated classes takes fast-check a fifth of a second to build. */
const matching = new Map<string, fc.Arbitrary<string>>();

/** Random texts of a pattern; none if it cannot be read. */
export function textsMatching(pattern: string, seed: number, numRuns: number): string[] {
  try {
    const texts = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
    matching.set(pattern, texts);
    return fc.sample(texts, { seed, numRuns });
  } catch {
    return [];
  }
}

function numberOf({ minimum, maximum, exclusiveMinimum, multipleOf }: Schema & { multipleOf?: number }): number {
  const least = (minimum ?? maximum ?? 1) + (exclusiveMinimum === true ? 1 : 0);
  return multipleOf === undefined || multipleOf <= 0 ? least : Math.ceil(least / multipleOf) * multipleOf;
}

/** The required fields, and enough of the others to reach the minimum number. */
function neededFieldsOf({ required = [], properties = {}, ...schema }: Schema): string[] {
  const { minProperties = 0 } = schema as { minProperties?: number };
  const isOptional = (name: string) => !required.includes(name) && properties[name]?.['readOnly'] !== true;
  const others = Object.keys(properties).filter(isOptional);
  return [...required, ...others.slice(0, Math.max(0, minProperties - required.length))];
}

/** The required fields, and the others that a response may have, except recursive ones. */
function allFieldsOf({ required = [], properties = {} }: Schema, outer: readonly Schema[]): string[] {
  const isShown = (field: Schema = {}) =>
    field['writeOnly'] !== true && !outer.includes(field) && !outer.includes(field.items ?? field);
  return [...new Set([...required, ...Object.keys(properties).filter((name) => isShown(properties[name]))])];
}

function merged({ allOf: _parts, ...schema }: Schema, parts: readonly Schema[]): Schema {
  const all = [...parts, schema];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)) as Record<string, Schema>,
    required: all.flatMap(({ required = [] }) => required),
  } as Schema;
}
