import type { Schema } from '../document.js';

/** A JSON Schema of draft-07. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

const compositions = ['allOf', 'anyOf', 'oneOf', 'not'];

/**
 * Turns a schema of an OpenAPI 3.0 document into one of draft-07. If it is to be closed, a property or an extensible
 * enumeration's value that the document does not list is refused.
 * @throws {Error} on a keyword for which that cannot be done
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...convert(schema, closed) };
}

function convert(schema: Schema, closed: boolean): JsonSchema {
  const { nullable, 'x-extensible-enum': values, properties, items, ...rest } = schema;
  const composition = compositions.find((keyword) => keyword in rest);
  if (composition !== undefined) throw new Error(`A schema with ${composition} cannot be closed.`);
  return {
    ...(closed && rest.type === 'object' && { additionalProperties: false }),
    ...rest,
    ...(nullable === true && { type: [rest.type, 'null'] }),
    ...(closed && values !== undefined && { enum: values }),
    ...(properties !== undefined && { properties: convertEach(properties, closed) }),
    ...(items !== undefined && { items: convert(items, closed) }),
  };
}

function convertEach(properties: Record<string, Schema>, closed: boolean): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, convert(schema, closed)]));
}
