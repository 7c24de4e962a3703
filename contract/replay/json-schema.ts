import { closedSchema } from '../conformance/closed-schema.ts';
import { type JsonSchema, jsonSchemaOf } from '../document/json-schema.ts';
import type { Schema } from '../document/model.ts';
import { schemaCopier } from '../document/schema-copier.ts';

/**
 * Turns a schema of an OpenAPI 3.0 document into one of draft-07, which Dredd reads. If it is to be closed, a property or an
 * extensible enumeration's value that the document does not list is refused; draft-07 cannot say the former of a schema
 * that is composed of others.
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...jsonSchemaOf(withKnownFormats(closed ? closedSchema(schema, true) : schema)),
  };
}

/** The formats that Dredd knows. It fails on others, which OpenAPI leaves to the author of a document. */
const formats =
  /^(date|time|date-time|email|hostname|ipv4|ipv6|uri|uri-reference|uri-template|json-pointer|relative-json-pointer|regex|uuid)$/;

function withKnownFormats(schema: Schema): Schema {
  const copyOf = schemaCopier((copy) => {
    if (copy.format !== undefined && !formats.test(copy.format)) delete copy.format;
  });
  return copyOf(schema);
}
