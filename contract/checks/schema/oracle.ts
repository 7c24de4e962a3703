import type { ErrorObject } from 'ajv';
import { createAjv } from '../../document/ajv.ts';
import { jsonSchemaOf } from '../../document/json-schema.ts';
import type { Schema } from '../../document/model.ts';

const ajv = createAjv();

/** Tells what is wrong with a value: each faulty field as `a/b/0`, the empty text for the value as a whole. */
export type Oracle = (value: unknown) => string[];

/** The oracle of a schema of OpenAPI 3.0; a value is valid if it names nothing. */
export function oracleOf(schema: Schema): Oracle {
  const oracle = oracles.get(schema) ?? madeOracle(schema);
  oracles.set(schema, oracle);
  return oracle;
}

const oracles = new WeakMap<Schema, Oracle>();

function madeOracle(schema: Schema): Oracle {
  const validate = ajv.compile(jsonSchemaOf(schema));
  return (value) => (validate(value) ? [] : [...new Set((validate.errors ?? []).filter(isOfItsOwn).map(fieldOf))]);
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
