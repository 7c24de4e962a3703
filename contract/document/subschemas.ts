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
