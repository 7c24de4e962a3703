/** Schemas: the model has them in the form of OpenAPI 3.0, and validators get them as JSON Schema of draft 2019-09. */
import { setFlagsFromString } from 'node:v8';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import type { Schema } from './model.ts';

const single = /^(items|additionalProperties|not|if|then|else|contains|propertyNames|unevaluated(Items|Properties))$/;
const lists = /^(allOf|anyOf|oneOf|prefixItems)$/;
const maps = /^(properties|patternProperties|dependentSchemas)$/;
const mayBeFlags = /^(additionalProperties|unevaluatedProperties|unevaluatedItems)$/;

/** Copies a schema, replacing each direct subschema with the result of `replace`. */
export function withSubschemas(schema: Schema, replace: (subschema: Schema, keyword: string) => Schema): Schema {
  const replaced = (keyword: string, value: unknown): unknown => {
    if (mayBeFlags.test(keyword) && typeof value === 'boolean') return value;
    if (single.test(keyword)) return replace(value as Schema, keyword);
    if (lists.test(keyword)) return (value as Schema[]).map((each) => replace(each, keyword));
    return maps.test(keyword) ? mapValues(value as Record<string, Schema>, (each) => replace(each, keyword)) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, replaced(keyword, value)]));
}

/** A record with each value replaced. */
export function mapValues<From, To>(
  record: Readonly<Record<string, From>> = {},
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/**
 * Makes changed copies of schemas. Each is copied once, so that the copy of a recursive schema is recursive.
 * @param change changes a copy, whose subschemas have already been replaced
 * @param replace replaces a subschema; by default with a copy made in the same way
 */
export function schemaCopier(
  change: (copy: Schema, original: Schema) => void,
  replace?: (subschema: Schema, keyword: string) => Schema,
): (schema: Schema) => Schema {
  const copies = new Map<Schema, Schema>();
  const copyOf = (schema: Schema): Schema => {
    const known = copies.get(schema);
    if (known) return known;
    const copy: Schema = {};
    copies.set(schema, copy);
    Object.assign(copy, withSubschemas(schema, replace ?? copyOf));
    change(copy, schema);
    return copy;
  };
  return copyOf;
}

/** The schemas of an `allOf`, `anyOf` or `oneOf`. */
export function composedBy(schema: Schema, ...keywords: ('allOf' | 'anyOf' | 'oneOf')[]): Schema[] {
  return keywords.flatMap((keyword) => (schema[keyword] as Schema[] | undefined) ?? []);
}

/** The fields of an object, with those of the parts that it is composed of. */
export function fieldsOf(schema: Schema = {}, seen = new Set<Schema>()): Record<string, Schema> {
  if (seen.has(schema)) return {};
  seen.add(schema);
  const parts = composedBy(schema, 'allOf', 'anyOf', 'oneOf').map((part) => fieldsOf(part, seen));
  return Object.assign({}, ...parts, mapValues(schema.properties, inOne)) as Record<string, Schema>;
}

const merged = new WeakMap<Schema, Schema>();
const notes = /^(title|description|default|example|nullable|readOnly|writeOnly|deprecated|x-.*)$/;

/** A schema in place of an `allOf` of it alone, which OpenAPI 3.0 needs to write a default beside a reference. */
function inOne(schema: Schema): Schema {
  const { allOf, ...beside } = schema as Schema & { allOf?: Schema[] };
  const [part, ...others] = allOf ?? [];
  if (!part || others.length > 0 || !Object.keys(beside).every((keyword) => notes.test(keyword))) return schema;
  const known = merged.get(schema);
  if (known) return known;
  merged.set(schema, schema);
  const one = { ...inOne(part), ...beside };
  merged.set(schema, one);
  return one;
}

/** The values that a schema lists for a field that it requires; none if it does not. */
export function statedValues(schema: Schema, field: string): unknown[] {
  const partsOf = (each: Schema): Schema[] => [each, ...composedBy(each, 'allOf').flatMap(partsOf)];
  const parts = partsOf(schema);
  const isRequired = parts.some(({ required }) => required?.includes(field));
  return isRequired ? parts.flatMap(({ properties }) => properties?.[field]?.enum ?? []) : [];
}

const bounds = [
  { exclusive: 'exclusiveMinimum', inclusive: 'minimum', stricter: Math.max },
  { exclusive: 'exclusiveMaximum', inclusive: 'maximum', stricter: Math.min },
] as const;

/** Converts the schemas of an OpenAPI 3.1 document to the form of 3.0, each of them once. */
export function schemaForm(): (schema: unknown) => Schema {
  const convert = (schema: unknown): Schema => {
    if (typeof schema !== 'object' || schema === null) return schema === false ? { not: {} } : {};
    return copyOf(schema as Schema);
  };
  const copyOf = schemaCopier((copy) => {
    writeType(copy);
    for (const { exclusive, inclusive, stricter } of bounds) {
      const bound = copy[exclusive];
      if (typeof bound !== 'number') continue;
      const isStricter = stricter(bound, copy[inclusive] ?? bound) === bound;
      Object.assign(copy, isStricter ? { [inclusive]: bound, [exclusive]: true } : { [exclusive]: false });
    }
    const { const: constant, examples } = copy;
    if ('const' in copy) copy.enum = [constant];
    if (Array.isArray(examples) && examples.length > 0) copy.example ??= examples[0] as unknown;
    delete copy['const'];
    delete copy['examples'];
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
  schema['allOf'] = [...composedBy(schema, 'allOf'), { anyOf: alternatives }];
}

/** Marks a field that only responses have, or only requests. */
export type OneWay = 'readOnly' | 'writeOnly';

/**
 * Makes fields of the other direction optional: OpenAPI requires a `readOnly` field only in responses, and a
 * `writeOnly` field only in requests. A schema without such fields is returned as the same object.
 */
export function withoutOneWayFields(schema: Schema, mark: OneWay): Schema {
  if (!hasFields(schema, mark)) return schema;
  const copies = new Map<Schema, Schema>();
  const copy = (each: Schema, outer: readonly string[]): Schema => {
    const known = copies.get(each);
    if (known) return known;
    const copied: Schema = {};
    copies.set(each, copied);
    const marked = [...outer, ...markedFields(each, mark)];
    const inner = (part: Schema, keyword: string) => copy(part, /^(allOf|anyOf|oneOf)$/.test(keyword) ? marked : []);
    Object.assign(copied, withSubschemas(each, inner));
    if (copied.required) copied.required = copied.required.filter((name) => !marked.includes(name));
    return copied;
  };
  return copy(schema, []);
}

/** Whether a schema has a field that only responses have, or only requests. */
export function hasOneWayFields(schema: Schema): boolean {
  return hasFields(schema, 'readOnly') || hasFields(schema, 'writeOnly');
}

/** The marked fields of a schema and of the parts that it is composed of. */
function markedFields(schema: Schema, mark: OneWay, seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const own = Object.entries(schema.properties ?? {}).filter(([, property]) => property[mark] === true);
  const ofParts = composedBy(schema, 'allOf').flatMap((part) => markedFields(part, mark, seen));
  return [...own.map(([name]) => name), ...ofParts];
}

/** The schemas in which no field has the mark: documents refer to the same ones again and again. */
const unmarked = { readOnly: new WeakSet<Schema>(), writeOnly: new WeakSet<Schema>() };

function hasFields(schema: Schema, mark: OneWay): boolean {
  const seen = new Set<Schema>();
  const visit = (each: Schema): boolean => {
    if (seen.has(each) || unmarked[mark].has(each)) return false;
    seen.add(each);
    if (markedFields(each, mark).length > 0) return true;
    const inner: Schema[] = [];
    withSubschemas(each, (part) => (inner.push(part), part));
    return inner.some(visit);
  };
  const found = visit(schema);
  if (!found) for (const each of seen) unmarked[mark].add(each);
  return found;
}

/** A JSON Schema of draft-07 or newer. */
export type JsonSchema = Record<string, unknown>;

/** Converts a schema of OpenAPI 3.0 to JSON Schema. A recursive schema becomes a definition that refers to itself. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const outer = new Set<Schema>();
  const names = new Map<Schema, string>();
  const convert = (each: Schema): JsonSchema => {
    if (!outer.has(each)) {
      outer.add(each);
      const converted = withOwnKeywords(withSubschemas(withConditions(each), convert));
      outer.delete(each);
      const name = names.get(each);
      if (name === undefined) return converted;
      definitions[name] = converted;
    }
    const name = names.get(each) ?? String(names.size);
    names.set(each, name);
    return { $ref: `#/definitions/${name}` };
  };
  const converted = convert(schema);
  return names.size === 0 ? converted : { ...converted, definitions };
}

/** A union whose discriminator is clear, as conditions: it accepts the same, and has the faults of the chosen schema. */
function withConditions(schema: Schema): Schema {
  const { discriminator, oneOf, anyOf, ...union } = schema as Schema & { oneOf?: Schema[]; anyOf?: Schema[] };
  const { propertyName: field } = (discriminator ?? {}) as { propertyName?: string };
  const choices = (oneOf ?? anyOf ?? []).map((then) => ({ then, values: statedValues(then, field ?? '') }));
  const all = choices.flatMap(({ values }) => values);
  const isClear = new Set(all).size === all.length && choices.every(({ values }) => values.length > 0);
  if (field === undefined || choices.length === 0 || !isClear) return schema;
  const having = (values: unknown[]): Schema => ({ required: [field], properties: { [field]: { enum: values } } });
  const conditions = choices.map(({ then, values }) => ({ if: { type: 'object', ...having(values) }, then }));
  return { type: 'object', ...union, allOf: [...composedBy(union, 'allOf'), having(all), ...conditions] };
}

/** Keywords that name, locate or describe a schema: once references are resolved, they decide nothing. */
const undeciding = [
  ...['$id', '$schema', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$defs', '$comment'],
  ...['title', 'description', 'example', 'examples', 'default', 'deprecated', 'externalDocs', 'xml'],
];

/** OpenAPI 3.0 has `nullable`, and flags for exclusive bounds. Drafts before 2020-12 have another name for `prefixItems`. */
function withOwnKeywords({ nullable, 'x-extensible-enum': _values, ...schema }: Schema): JsonSchema {
  const converted: JsonSchema = schema;
  for (const keyword of undeciding) Reflect.deleteProperty(converted, keyword);
  // Alternatives that differ in their descriptions alone would refuse every value.
  if (schema['oneOf'] !== undefined)
    converted['oneOf'] = [...new Map(composedBy(schema, 'oneOf').map((part) => [JSON.stringify(part), part])).values()];
  const { prefixItems, items } = schema;
  if (prefixItems !== undefined) {
    delete converted['prefixItems'];
    Object.assign(converted, { items: prefixItems, ...(items !== undefined && { additionalItems: items }) });
  }
  for (const { exclusive, inclusive } of bounds) {
    const flag = schema[exclusive];
    if (typeof flag === 'boolean') Reflect.deleteProperty(converted, exclusive);
    if (flag === true && schema[inclusive] !== undefined) converted[exclusive] = schema[inclusive];
  }
  if (nullable !== true) return converted;
  // Many documents write it next to a composition, where OpenAPI 3.0.3 made it meaningless.
  if (schema.type === undefined)
    return composedBy(schema, 'allOf', 'anyOf', 'oneOf').length > 0
      ? { anyOf: [{ type: 'null' }, converted] }
      : converted;
  return { ...converted, type: [schema.type, 'null'] };
}

/** A validator for schemas of `jsonSchemaOf`. It ignores unknown keywords, and all formats unless `validateFormats`. */
export function createAjv({ validateFormats = true } = {}): Ajv2019 {
  const ajv = new Ajv2019({
    allErrors: true,
    strict: false,
    logger: false,
    validateSchema: false,
    validateFormats,
    // 19.99 is no multiple of 0.01 in binary fractions.
    multipleOfPrecision: 6,
    // Most schemas validate a few values: to optimise the code of their validators takes longer than they run.
    code: { regExp: Object.assign(patternOf, { code: 'patternOf' }), optimize: false },
  });
  addFormats.default(ajv);
  return ajv;
}

// A pattern such as `(a|a)+$` backtracks exponentially; with this flag, V8 falls back to its linear-time engine.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/** Patterns come in many dialects. One that JavaScript cannot compile matches everything. */
function patternOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, /\\[pu]\{/i.test(pattern) ? 'u' : '');
  } catch {
    return /(?:)/;
  }
}

/** The names of the fields that a schema requires, or a part of its composition. */
export function requiredFieldsOf({ required = [], allOf = [] }: Schema & { allOf?: Schema[] }): string[] {
  return [...required, ...allOf.flatMap(requiredFieldsOf)];
}
