import { closedSchema } from '../oracle/schema.ts';
import { type JsonSchema, jsonSchemaOf } from '../document/json-schema.ts';
import type { Schema } from '../document/model.ts';
import { schemaCopier } from '../document/schema-copier.ts';

/**
 * Converts a schema of an OpenAPI 3.0 document to draft-07, which Dredd reads. A closed schema refuses undocumented
 * properties and undocumented values of an extensible enumeration; draft-07 cannot express the former for a
 * composition.
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...jsonSchemaOf(withKnownKeywords(closed ? closedSchema(schema, true) : schema)),
  };
}

/** The formats that Dredd supports. It fails on others, which OpenAPI permits. */
const formats =
  /^(date|time|date-time|email|hostname|ipv4|ipv6|uri|uri-reference|uri-template|json-pointer|relative-json-pointer|regex|uuid)$/;

function withKnownKeywords(schema: Schema): Schema {
  const copyOf = schemaCopier((copy) => {
    if (copy.format !== undefined && !formats.test(copy.format)) delete copy.format;
    // In binary fractions, 19.99 is no multiple of 0.01; the conformance checks allow for that.
    if (!Number.isInteger(copy['multipleOf'])) delete copy['multipleOf'];
  });
  return copyOf(schema);
}
