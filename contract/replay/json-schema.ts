import { closedSchema } from '../conformance/closed-schema.ts';
import type { Schema } from '../document/model.ts';

/** A JSON Schema of draft-07. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/**
 * Turns a schema of an OpenAPI 3.0 document into one of draft-07. If it is to be closed, a property or an extensible
 * enumeration's value that the document does not list is refused.
 * @throws {Error} if it cannot be closed
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...convert(closed ? closedSchema(schema) : schema, closed),
  };
}

function convert(schema: Schema, closed: boolean): JsonSchema {
  const { nullable, 'x-extensible-enum': values, properties, items, ...rest } = schema;
  return {
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
