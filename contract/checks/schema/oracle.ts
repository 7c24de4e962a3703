import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Schema } from '../../document/model.ts';

const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
addFormats.default(ajv);

/** Tells what is wrong with a value: each faulty field as `a/b/0`, the empty text for the value as a whole. */
export type Oracle = (value: unknown) => string[];

/** The oracle of a schema of OpenAPI 3.0; a value is valid if it names nothing. */
export function oracleOf(schema: Schema): Oracle {
  const validate = ajv.compile(toJsonSchema(schema) as Schema);
  return (value) => (validate(value) ? [] : [...new Set((validate.errors ?? []).filter(isOfItsOwn).map(fieldOf))]);
}

/** What fails within an alternative says nothing; that no alternative fits is an error of its own. */
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

/** OpenAPI 3.0 has exclusive bounds as flags beside the bounds, and `nullable` beside types alone. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const schema = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, toJsonSchema(value)]));
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (typeof schema[flag] === 'boolean') {
      if (schema[flag]) schema[flag] = schema[bound];
      else Reflect.deleteProperty(schema, flag);
    }
  if (schema['nullable'] !== undefined && schema['type'] === undefined) Reflect.deleteProperty(schema, 'nullable');
  return schema;
}
