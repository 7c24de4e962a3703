import type { DefinedError, ErrorObject, ValidateFunction } from 'ajv/dist/2019.js';
import { createAjv } from '../document/ajv.ts';
import { jsonSchemaOf } from '../document/json-schema.ts';
import type { Schema } from '../document/model.ts';
import { closedSchema } from './closed-schema.ts';

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
