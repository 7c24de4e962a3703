import { createAjv } from '../document/ajv.ts';
import { jsonSchemaOf } from '../document/json-schema.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import { withSubschemas } from '../document/subschemas.ts';

/**
 * The document's schemas that cannot be compiled, one line each. Each schema is examined once, without its subschemas:
 * large documents refer to the same schemas thousands of times.
 */
export function schemaFaults({ operations }: ApiDocument): string[] {
  const ajv = createAjv();
  const seen = new Set<Schema>();
  const faultOf = (schema: Schema): string | undefined => {
    if (seen.has(schema)) return undefined;
    seen.add(schema);
    const inner: Schema[] = [];
    try {
      const alone = jsonSchemaOf(withSubschemas(schema, (each) => (inner.push(each), {})));
      // The schema of schemas is quick, but also refuses what can be compiled.
      if (ajv.validateSchema(alone) !== true || schema.enum?.length === 0) createAjv().compile(alone);
    } catch (error) {
      return (error as Error).message;
    }
    return inner.map(faultOf).find((fault) => fault !== undefined);
  };
  return operations.flatMap((operation) =>
    schemasOf(operation).flatMap(([what, schema]) => {
      const fault = faultOf(schema);
      return fault === undefined ? [] : [`the schema of ${what} of ${operation.operationId} cannot be read: ${fault}`];
    }),
  );
}

function schemasOf({ parameters, requestBody, responses }: Operation): [what: string, schema: Schema][] {
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]): [string, Schema] => [
    `the body ${type}`,
    schema,
  ]);
  const ofResponses = Object.entries(responses).flatMap(([status, { content, headers }]) => [
    ...Object.entries(content).map(([type, { schema }]): [string, Schema] => [
      `the response ${status} ${type}`,
      schema,
    ]),
    ...Object.entries(headers).map(([name, { schema }]): [string, Schema] => [
      `the header ${name} of ${status}`,
      schema,
    ]),
  ]);
  return [
    ...parameters.map(({ name, schema }): [string, Schema] => [`the parameter ${name}`, schema]),
    ...bodies,
    ...ofResponses,
  ];
}
