import openapiTS, { astToString } from 'openapi-typescript';
import type { ApiDocument, Operation } from '../../contract/document/index.ts';
import { clientSource } from './client-source.ts';
import { fileNameOf } from './files.ts';
import { isAnySegment } from './rules.ts';

const notice = '// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.\n\n';

/** The sources that are generated from the document, by file: those of the server and of the client. */
export async function sourcesOf(document: ApiDocument, bundle: string): Promise<Record<string, string>> {
  const client = clientSource(document);
  const types = astToString(await openapiTS(bundle, { readWriteMarkers: true }));
  const sources = {
    'generated/types.ts': types,
    'generated/operations.ts': operationsSource(document),
    'generated/errors.ts': errorsSource(document),
    'client/generated/types.ts': types,
    'client/generated/client.ts': client['client.ts'],
    'client/generated/schemas.ts': client['schemas.ts'],
    'src/api/operations/index.ts': handlersSource(document),
  };
  return Object.fromEntries(Object.entries(sources).map(([file, source]) => [file, notice + source]));
}

/** The text of generated/operations.ts: the declarations of each operation that the server acts on. */
function operationsSource({ operations, securitySchemes }: ApiDocument): string {
  const byId = Object.fromEntries(operations.map((operation) => [operation.operationId, declared(operation)]));
  const named = Object.entries(securitySchemes);
  const schemes = Object.fromEntries(named.map(([name, scheme]) => [name, { ...scheme, description: undefined }]));
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

/** The text of generated/errors.ts: every error code of the document with its status and message. */
function errorsSource({ errors }: ApiDocument): string {
  return `/** Every error that the API can respond with, by its code. */
export const errors = ${JSON.stringify(errors, null, 2)} as const;

/** An error code of the document. */
export type ErrorCode = keyof typeof errors;
`;
}

/** The text of src/api/operations/index.ts: the handler of each operation, registered. */
function handlersSource({ operations }: ApiDocument): string {
  const ids = operations.map(({ operationId }) => operationId);
  const imports = ids.map((id) => `import { ${id} } from './${fileNameOf(id)}.ts';`);
  return `${["import type { OperationHandlers } from '../operation.ts';", ...imports].join('\n')}

/** The handler of every operation, by its operationId. */
export const handlers: OperationHandlers = {
${ids.map((id) => `  ${id},`).join('\n')}
};
`;
}
