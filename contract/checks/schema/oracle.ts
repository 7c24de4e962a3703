import type { ErrorObject } from 'ajv';
import { fieldOf } from '../../conformance/schema-violations.ts';
import { createAjv } from '../../document/ajv.ts';
import { jsonSchemaOf } from '../../document/json-schema.ts';
import type { Schema } from '../../document/model.ts';

/** Returns the invalid fields of a value, in the notation of this API: `a/b/0`, and the empty string for the whole value. */
export type Oracle = (value: unknown) => string[];

/** The oracle of an OpenAPI 3.0 schema; it returns no fields for a valid value. */
export const oracleOf = oraclesBy(createAjv());

/** Like {@link oracleOf}, for servers that treat `format` as an annotation, the default in JSON Schema. */
export const lenientOracleOf = oraclesBy(createAjv({ validateFormats: false }));

function oraclesBy(ajv: ReturnType<typeof createAjv>): (schema: Schema) => Oracle {
  const oracles = new WeakMap<Schema, Oracle>();
  return (schema) => {
    const known = oracles.get(schema);
    if (known) return known;
    const validate = ajv.compile(jsonSchemaOf(schema));
    const oracle: Oracle = (value) =>
      validate(value) ? [] : [...new Set((validate.errors ?? []).filter(isOfItsOwn).map(fieldOf))];
    oracles.set(schema, oracle);
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
