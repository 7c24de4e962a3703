/** A JSON Schema, or the dialect of it that OpenAPI 3.0 has. */
// @ts-nocheck

export interface JsonSchema {
  [keyword: string]: unknown;
}

const compositions = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not'];

/**
 * Turns a schema of an OpenAPI 3.0 document, its references resolved, into one of draft-07 that is closed: a property or
 * an extensible enumeration's value that the document does not list is refused, for the server must not send it.
 * @throws {Error} on a keyword for which that cannot be done
 */
export function closedSchema(schema: JsonSchema): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...close(schema) };
}

function close({ nullable, 'x-extensible-enum': values, properties, items, ...rest }: JsonSchema): JsonSchema {
  const composition = compositions.find((keyword) => keyword in rest);
  if (composition !== undefined) throw new Error(`A schema with ${composition} cannot be closed.`);
  return {
    ...(rest['type'] === 'object' && { additionalProperties: false }),
    ...rest,
    ...(nullable === true && { type: [rest['type'], 'null'] }),
    ...(values !== undefined && { enum: values }),
    ...(properties !== undefined && { properties: closeEach(properties as Record<string, JsonSchema>) }),
    ...(items !== undefined && { items: close(items as JsonSchema) }),
  };
}

function closeEach(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, close(schema)]));
}
