import type { Schema } from './model.ts';
import { schemaCopier } from './schema-copier.ts';

const bounds = [
  ['exclusiveMinimum', 'minimum', Math.max],
  ['exclusiveMaximum', 'maximum', Math.min],
] as const;

/** Converts the schemas of an OpenAPI 3.1 document to the form of 3.0, each of them once. */
export function schemaForm(): (schema: unknown) => Schema {
  const convert = (schema: unknown): Schema => {
    if (typeof schema !== 'object' || schema === null) return schema === false ? { not: {} } : {};
    return copyOf(schema as Schema);
  };
  const copyOf = schemaCopier((copy) => {
    writeType(copy);
    writeBounds(copy);
    writeValues(copy);
  }, convert);
  return convert;
}

/** Turns a list of types into one type, which may be nullable, or into alternatives. */
function writeType(schema: Schema): void {
  const types = [(schema as { type?: unknown }).type ?? []].flat() as string[];
  const [type, ...further] = types.filter((name) => name !== 'null');
  const nullable = types.includes('null');
  if (type === undefined && !nullable) return;
  delete schema.type;
  if (type !== undefined && further.length === 0) {
    Object.assign(schema, { type, ...(nullable && { nullable }) });
    return;
  }
  const alternatives: Schema[] = [type ?? [], ...further].flat().map((name) => ({ type: name }));
  if (nullable) alternatives.push({ enum: [null] });
  schema['allOf'] = [...((schema['allOf'] as Schema[] | undefined) ?? []), { anyOf: alternatives }];
}

function writeBounds(schema: Schema): void {
  for (const [exclusive, inclusive, stricter] of bounds) {
    const bound = schema[exclusive];
    if (typeof bound !== 'number') continue;
    const isStricter = stricter(bound, schema[inclusive] ?? bound) === bound;
    Object.assign(schema, isStricter ? { [inclusive]: bound, [exclusive]: true } : { [exclusive]: false });
  }
}

function writeValues(schema: Schema): void {
  const { const: constant, examples } = schema;
  if ('const' in schema) schema.enum = [constant];
  if (Array.isArray(examples) && examples.length > 0) schema.example ??= examples[0] as unknown;
  delete schema['const'];
  delete schema['examples'];
}
