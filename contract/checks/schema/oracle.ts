import type { ErrorObject } from 'ajv';
import { fieldOf } from '../../conformance/schema-violations.ts';
import { createAjv } from '../../document/ajv.ts';
import { jsonSchemaOf } from '../../document/json-schema.ts';
import type { Schema } from '../../document/model.ts';

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
