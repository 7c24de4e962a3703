import type { ApiDocument, Operation, Parameter, Schema } from '../../contract/document/index.ts';
import { mapValues } from './map-values.ts';

/** The text of generated/operations.ts: the declarations of each operation that the server acts on. */
export function operationsSource({ operations, securitySchemes }: ApiDocument): string {
  const byId = Object.fromEntries(operations.map((operation) => [operation.operationId, declared(operation)]));
  const schemes = mapValues(securitySchemes, (scheme) => ({ ...scheme, description: undefined }));
  return `/** Every operation of the document, by its operationId. */
export const operations = ${JSON.stringify(byId, null, 2)} as const;

/** How each kind of credential is presented. */
export const securitySchemes = ${JSON.stringify(schemes, null, 2)} as const;

/** An operationId of the document. */
export type OperationId = keyof typeof operations;

/** The declarations of one operation that the server acts on. */
export type Operation = (typeof operations)[OperationId];

/** The name of a kind of credential. */
export type SecuritySchemeName = keyof typeof securitySchemes;

/** A permission that some operation requires. */
export type Permission = NonNullable<Operation['requiredPermission']>;

/** A feature that some operation requires of the caller's organisation. */
export type Feature = NonNullable<Operation['requiredFeature']>;
`;
}

/** The declarations of an operation that the server acts on. */
export function declared({ method, path, security, requestBody, ...operation }: Operation) {
  return {
    method,
    path,
    security,
    requiredPermission: operation.requiredPermission,
    requiredFeature: operation.requiredFeature,
    maxBodyBytes: requestBody?.maxBytes ?? null,
    requestMediaTypes: Object.keys(requestBody?.content ?? {}),
    parametersWithDefault: operation.parameters.filter(({ schema }) => 'default' in schema).map(({ name }) => name),
    hasRequestRules: requestBody !== undefined || !operation.parameters.every(isAnySegment),
    statuses: Object.keys(operation.responses),
  };
}

/** Whether a parameter accepts any path segment: every segment is a valid string. */
export function isAnySegment({ in: place, schema }: Pick<Parameter, 'in'> & { schema?: Schema }): boolean {
  const rules = { ...schema, description: undefined, example: undefined };
  return place === 'path' && JSON.stringify(rules) === '{"type":"string"}';
}
