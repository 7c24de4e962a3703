import type { ErrorObject } from 'ajv';
import { createAjv } from '../../document/ajv.ts';
import { jsonSchemaOf } from '../../document/json-schema.ts';
import type { Schema } from '../../document/model.ts';

/** Tells what is wrong with a value: each faulty field as `a/b/0`, the empty text for the value as a whole. */
export type Oracle = (value: unknown) => string[];

/** The oracle of a schema of OpenAPI 3.0; a value is valid if it names nothing. */
export const oracleOf = oraclesBy(createAjv());

/** As {@link oracleOf}, for servers that take `format` for a remark, as JSON Schema does by default. */
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

/** What fails within an alternative says nothing; that no alternative matches is an error of its own. */
function isOfItsOwn({ schemaPath }: ErrorObject): boolean {
  return !/\/(anyOf|oneOf|not)\/./.test(schemaPath);
}

function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Partial<Record<string, string>>;
  const names = instancePath.split('/').slice(1).map(unescaped);
  return [...names, ...[missingProperty ?? additionalProperty ?? []].flat()].join('/');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
