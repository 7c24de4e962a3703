/** What is wrong with a value by its schema. */
import type { Ajv2019, DefinedError, ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';
import type { Schema } from '../document/model.ts';
import { composedBy, createAjv, jsonSchemaOf, schemaCopier } from '../document/schemas.ts';

/**
 * Closes every object that lists its properties, unless the schema explicitly allows others. A composition accepts the
 * properties of all of its schemas (`unevaluatedProperties` of draft 2019-09).
 */
export function closedSchema(schema: Schema): Schema {
  const replace = (inner: Schema, keyword: string): Schema => {
    if (keyword === 'not') return inner;
    if (keyword === 'allOf') return partOf(inner);
    return keyword === 'anyOf' || keyword === 'oneOf' ? alternativeOf(inner) : wholeOf(inner);
  };
  const wholeOf = schemaCopier((closed, each) => {
    if (!listsProperties(each)) return;
    if (partsOf(each).length > 0) closed['unevaluatedProperties'] = false;
    else closed.additionalProperties ??= false;
  }, replace);
  const partOf = schemaCopier(() => undefined, replace);
  const alternativeOf = schemaCopier((closed, each) => {
    // An object without further description may have any property.
    if (each.type === 'object' && !listsProperties(each)) closed.additionalProperties ??= true;
  }, replace);
  return wholeOf(schema);
}

function listsProperties(schema: Schema): boolean {
  return schema.properties !== undefined || partsOf(schema).some(listsProperties);
}

const partsOf = (schema: Schema) => composedBy(schema, 'allOf', 'anyOf', 'oneOf');

const ajv = createAjv();
// Stricter than ajv-formats, which also accepts a zone without a colon (RFC 3339, section 5.6).
const rfc3339 = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
ajv.addFormat('date-time', (text: string) => {
  const [, day] = rfc3339.exec(text) ?? [];
  // Node.js parses February 30th as a day of March.
  return day !== undefined && !Number.isNaN(Date.parse(text)) && new Date(day).toISOString().startsWith(day);
});

/** How many characters of JSON a schema has at most whose validator others of the same text share. */
const smallSchema = 500;

/** The validators of schemas, each made once. Most fields of a large document have one of few schemas. */
function validatorsOf(ajv: Ajv2019, change = (schema: Schema) => schema): (schema: Schema) => ValidateFunction {
  const made = new WeakMap<Schema, ValidateFunction>();
  const bySmallSchema = new Map<string, ValidateFunction>();
  return (schema) => {
    const known = made.get(schema);
    if (known) return known;
    const jsonSchema = jsonSchemaOf(change(schema));
    const text = JSON.stringify(jsonSchema);
    const validate = bySmallSchema.get(text) ?? ajv.compile(jsonSchema);
    if (text.length < smallSchema) bySmallSchema.set(text, validate);
    made.set(schema, validate);
    return validate;
  };
}

const validatorOf = validatorsOf(ajv);
const closedValidatorOf = validatorsOf(ajv, closedSchema);
const lenientValidatorOf = validatorsOf(createAjv({ validateFormats: false }));

/** The faults of a value, as the validator reports them. */
function errorsOf(validate: ValidateFunction, value: unknown): DefinedError[] {
  return validate(value) ? [] : (validate.errors as DefinedError[]);
}

/** The faults of a value; of alternatives, only that none of them matches. */
export function schemaErrors(schema: Schema, value: unknown): DefinedError[] {
  return errorsOf(validatorOf(schema), value).filter(isOfItsOwn);
}

/**
 * The faults of a value, as messages.
 * @param what the value's name at the beginning of each message
 * @param open whether fields that the schema does not list are accepted
 */
export function schemaViolations(what: string, schema: Schema, value: unknown, open: boolean): string[] {
  const validate = open ? validatorOf(schema) : closedValidatorOf(schema);
  return errorsOf(validate, value).map((error) => messageOf(what, error));
}

/** @param what the value's name at the beginning of the message */
export function messageOf(what: string, error: ErrorObject): string {
  const text = ajv.errorsText([error], { dataVar: what });
  const { additionalProperty, unevaluatedProperty } = error.params as Partial<Record<string, string>>;
  const name = additionalProperty ?? unevaluatedProperty;
  return name === undefined ? text : `${text} (${name})`;
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

/** Returns the invalid fields of a value, in the notation of this API: `a/b/0`, and the empty string for the whole value. */
export type Oracle = (value: unknown) => string[];

/** The oracle of an OpenAPI 3.0 schema; it returns no fields for a valid value. */
export const oracleOf = oraclesBy(validatorOf);

/** Like {@link oracleOf}, for servers that treat `format` as an annotation, the default in JSON Schema. */
export const lenientOracleOf = oraclesBy(lenientValidatorOf);

function oraclesBy(validatorOf: (schema: Schema) => ValidateFunction): (schema: Schema) => Oracle {
  return (schema) => {
    const validate = validatorOf(schema);
    return (value) => [...new Set(errorsOf(validate, value).filter(isOfItsOwn).map(fieldOf))];
  };
}

/** If no alternative matches, or a condition is violated, that is an error beside those of its schemas. */
function isOfItsOwn({ schemaPath, keyword }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/(anyOf|oneOf|not)\/./.test(schemaPath);
}
