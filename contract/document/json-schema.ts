import type { Schema } from './model.ts';
import { statedValues, withSubschemas } from './subschemas.ts';

/** A JSON Schema of draft-07 or newer. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Converts a schema of OpenAPI 3.0 to JSON Schema. A recursive schema becomes a definition that refers to itself. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const outer = new Set<Schema>();
  const names = new Map<Schema, string>();
  const nameOf = (recursive: Schema): string => {
    const name = names.get(recursive) ?? String(names.size);
    names.set(recursive, name);
    return name;
  };
  const convert = (each: Schema): JsonSchema => {
    if (!outer.has(each)) {
      outer.add(each);
      const converted = withOwnKeywords(withSubschemas(withConditions(each), convert));
      outer.delete(each);
      if (!names.has(each)) return converted;
      definitions[nameOf(each)] = converted;
    }
    return { $ref: `#/definitions/${nameOf(each)}` };
  };
  const converted = convert(schema);
  return names.size === 0 ? converted : { ...converted, definitions };
}

interface Union extends Schema {
  discriminator?: { propertyName?: string };
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/**
 * A union whose schemas each list their values of the discriminator, as conditions: they accept the same values, and their
 * faults are those of the schema that was chosen.
 */
function withConditions(schema: Schema): Schema {
  const { discriminator, oneOf, anyOf, ...union }: Union = schema;
  const { propertyName: field } = discriminator ?? {};
  const choices = (oneOf ?? anyOf ?? []).map((then) => ({ then, values: statedValues(then, field ?? '') }));
  const all = choices.flatMap(({ values }) => values);
  const isClear = new Set(all).size === all.length && choices.every(({ values }) => values.length > 0);
  if (field === undefined || choices.length === 0 || !isClear) return schema;
  const having = (values: unknown[]): Schema => ({ required: [field], properties: { [field]: { enum: values } } });
  const conditions = choices.map(({ then, values }) => ({ if: { type: 'object', ...having(values) }, then }));
  return { type: 'object', ...union, allOf: [...(union.allOf ?? []), having(all), ...conditions] };
}

function withoutCopies(parts: readonly unknown[]): unknown[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

/** Keywords that name, locate or describe a schema: once references are resolved, they decide nothing. */
const undeciding = [
  ...['$id', '$schema', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$defs', '$comment'],
  ...['title', 'description', 'example', 'examples', 'default', 'deprecated', 'externalDocs', 'xml'],
];

/**
 * OpenAPI 3.0 has `nullable` next to a type, and exclusive bounds as flags next to the bounds. `prefixItems` of OpenAPI
 * 3.1 has another name in drafts before 2020-12.
 */
function withOwnKeywords({ nullable, 'x-extensible-enum': _values, ...schema }: Schema): JsonSchema {
  const converted: JsonSchema = schema;
  for (const keyword of undeciding) Reflect.deleteProperty(converted, keyword);
  // Alternatives that differ in their descriptions alone would refuse every value.
  if (Array.isArray(converted['oneOf'])) converted['oneOf'] = withoutCopies(converted['oneOf']);
  if (schema['prefixItems'] !== undefined) {
    const { prefixItems, items, ...others } = schema;
    return withOwnKeywords({
      ...others,
      ...(nullable !== undefined && { nullable }),
      items: prefixItems as Schema,
      ...(items !== undefined && { additionalItems: items }),
    });
  }
  if (nullable === true && schema.type !== undefined) converted['type'] = [schema.type, 'null'];
  // Many documents write it next to a composition, where OpenAPI 3.0.3 made it meaningless.
  else if (nullable === true && ['allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema))
    return { anyOf: [{ type: 'null' }, withOwnKeywords(schema)] };
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    if (schema[flag] && schema[bound] !== undefined) converted[flag] = schema[bound];
    else Reflect.deleteProperty(converted, flag);
  }
  return converted;
}
