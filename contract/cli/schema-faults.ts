import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import { schemaViolations } from '../conformance/schema-violations.ts';

/** The document's schemas that cannot be compiled, one line each. */
export function schemaFaults({ operations }: ApiDocument): string[] {
  return operations.flatMap((operation) =>
    schemasOf(operation).flatMap(([what, schema]) => {
      try {
        schemaViolations('', schema, undefined, true);
        return [];
      } catch (error) {
        return [`the schema of ${what} of ${operation.operationId} cannot be read: ${(error as Error).message}`];
      }
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
