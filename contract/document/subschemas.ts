import type { Schema } from './model.ts';

const single = [
  'items',
  'additionalProperties',
  'not',
  ...['if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', 'dependentSchemas'];
const mayBeFlags = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'];

/** Copies a schema, replacing each direct subschema with the result of `replace`. */
export function withSubschemas(schema: Schema, replace: (subschema: Schema, keyword: string) => Schema): Schema {
  const replaced = (keyword: string, value: unknown): unknown => {
    if (mayBeFlags.includes(keyword) && typeof value === 'boolean') return value;
    if (single.includes(keyword)) return replace(value as Schema, keyword);
    if (lists.includes(keyword)) return (value as Schema[]).map((each) => replace(each, keyword));
    if (!maps.includes(keyword)) return value;
    const entries = Object.entries(value as Record<string, Schema>);
    return Object.fromEntries(entries.map(([name, each]) => [name, replace(each, keyword)]));
  };
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, replaced(keyword, value)]));
}

/** The values that a schema lists for a field that it requires; none if it does not. */
export function statedValues(schema: Schema, field: string): unknown[] {
  const parts = partsOf(schema);
  const isRequired = parts.some(({ required }) => required?.includes(field));
  return isRequired ? parts.flatMap(({ properties }) => properties?.[field]?.enum ?? []) : [];
}

/** A schema and all that its `allOf` adds to it. */
function partsOf(schema: Schema): Schema[] {
  return [schema, ...((schema['allOf'] ?? []) as Schema[]).flatMap(partsOf)];
}
