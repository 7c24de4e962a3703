import type { Schema } from '../document/model.ts';
import { schemaCopier } from '../document/schemas.ts';
import type { DefinedError, ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';
import { createAjv } from '../document/schemas.ts';
import { jsonSchemaOf } from '../document/schemas.ts';

const compositions = ['allOf', 'anyOf', 'oneOf'];

/**
 * Closes every object that lists its properties, unless the schema explicitly allows others. A composition accepts the
 * properties of all of its schemas (`unevaluatedProperties` of draft 2019-09).
 * @param closesEnums whether only the values of `x-extensible-enum` are accepted
 */
export function closedSchema(schema: Schema, closesEnums = false): Schema {
  const closeEnum = (closed: Schema, each: Schema): void => {
    if (closesEnums && each['x-extensible-enum']) closed.enum = each['x-extensible-enum'];
  };
  const replace = (inner: Schema, keyword: string): Schema => {
    if (keyword === 'not') return inner;
    if (keyword === 'allOf') return partOf(inner);
    return compositions.includes(keyword) ? alternativeOf(inner) : wholeOf(inner);
  };
  const wholeOf = schemaCopier((closed, each) => {
    Object.assign(closed, refusal(each));
    closeEnum(closed, each);
  }, replace);
  const partOf = schemaCopier(closeEnum, replace);
  const alternativeOf = schemaCopier((closed, each) => {
    if (isFree(each)) closed.additionalProperties = true;
    closeEnum(closed, each);
  }, replace);
  return wholeOf(schema);
}

function refusal(schema: Schema): Schema {
  if (!listsProperties(schema)) return {};
  if (partsOf(schema).length > 0) return { unevaluatedProperties: false };
  return schema.additionalProperties === undefined ? { additionalProperties: false } : {};
}

function listsProperties(schema: Schema): boolean {
  return schema.properties !== undefined || partsOf(schema).some(listsProperties);
}

/** An object without further description may have any property. */
function isFree(schema: Schema): boolean {
  return schema.type === 'object' && schema.additionalProperties === undefined && !listsProperties(schema);
}

function partsOf(schema: Schema): Schema[] {
  return compositions.flatMap((keyword) => (schema[keyword] as Schema[] | undefined) ?? []);
}

const ajv = createAjv();
// Stricter than ajv-formats, which also accepts a zone without a colon (RFC 3339, section 5.6).
const rfc3339 = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
ajv.addFormat('date-time', (text: string) => {
  const [, day] = rfc3339.exec(text) ?? [];
  return day !== undefined && !Number.isNaN(Date.parse(text)) && isDay(day);
});

/** Rejects February 30th, which Node.js parses as a day of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

const validators = new WeakMap<Schema, Map<boolean, ValidateFunction>>();

/**
 * The faults of a value, as messages; empty if there are none.
 * @param what the value's name at the beginning of each message
 * @param open whether fields that the schema does not list are accepted
 */
export function schemaViolations(what: string, schema: Schema, value: unknown, open: boolean): string[] {
  return schemaErrors(schema, value, open).map((error) => {
    const text = ajv.errorsText([error], { dataVar: what });
    const { additionalProperty, unevaluatedProperty } = error.params as Partial<Record<string, string>>;
    const name = additionalProperty ?? unevaluatedProperty;
    return name === undefined ? text : `${text} (${name})`;
  });
}

/**
 * Where a fault is, as errors of this API name it: the JSON Pointer (RFC 6901) without its first `/`, unless an empty name
 * follows. At a missing or an unknown property, it points to that.
 */
export function fieldOf({ instancePath, params }: Pick<ErrorObject, 'instancePath' | 'params'>): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<Record<string, string>>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const last = name === undefined ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return (instancePath + last).replace(/^\/(?=[^/])/, '');
}

/** The faults of a value, as the validator reports them. */
export function schemaErrors(schema: Schema, value: unknown, open: boolean): DefinedError[] {
  const validate = validatorOf(schema, open);
  return validate(value) ? [] : (validate.errors as DefinedError[]);
}

function validatorOf(schema: Schema, open: boolean): ValidateFunction {
  const compiled = validators.get(schema) ?? new Map<boolean, ValidateFunction>();
  validators.set(schema, compiled);
  const validate = compiled.get(open) ?? ajv.compile(jsonSchemaOf(open ? schema : closedSchema(schema)));
  compiled.set(open, validate);
  return validate;
}

/** How many characters of JSON a schema has at most that is kept by its text. */
const smallSchema = 500;

/** Returns the invalid fields of a value, in the notation of this API: `a/b/0`, and the empty string for the whole value. */
export type Oracle = (value: unknown) => string[];

/** The oracle of an OpenAPI 3.0 schema; it returns no fields for a valid value. */
export const oracleOf = oraclesBy(createAjv());

/** Like {@link oracleOf}, for servers that treat `format` as an annotation, the default in JSON Schema. */
export const lenientOracleOf = oraclesBy(createAjv({ validateFormats: false }));

function oraclesBy(ajv: ReturnType<typeof createAjv>): (schema: Schema) => Oracle {
  const oracles = new WeakMap<Schema, Oracle>();
  const bySmallSchema = new Map<string, Oracle>();
  return (schema) => {
    const known = oracles.get(schema);
    if (known) return known;
    const jsonSchema = jsonSchemaOf(schema);
    // Most fields of a large document have one of few schemas.
    const text = JSON.stringify(jsonSchema);
    const alike = bySmallSchema.get(text);
    if (alike) return alike;
    const validate = ajv.compile(jsonSchema);
    const oracle: Oracle = (value) =>
      validate(value) ? [] : [...new Set((validate.errors ?? []).filter(isOfItsOwn).map(fieldOf))];
    oracles.set(schema, oracle);
    if (text.length < smallSchema) bySmallSchema.set(text, oracle);
    return oracle;
  };
}

/**
 * Errors within an alternative are ignored: if no alternative matches, that is an error of its own. That a condition is
 * violated is none, beside the errors of its schema.
 */
function isOfItsOwn({ schemaPath, keyword }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/(anyOf|oneOf|not)\/./.test(schemaPath);
}
