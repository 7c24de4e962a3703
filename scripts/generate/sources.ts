import type { ApiDocument, Operation } from '../../contract/document/index.ts';
import { codesByStatus } from './client-endpoint.ts';
import { clientSource } from './client-source.ts';
import { fileNameOf } from './files.ts';
import { hasRequestRules, requestRulesOf } from './request-rules.ts';

const notice = '// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.\n\n';

/** The sources that are generated from the document, by file: those of the server and of the client. */
export async function sourcesOf(document: ApiDocument, bundle: string): Promise<Record<string, string>> {
  // Loaded here, because the rest of this file needs no package of scripts/.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const client = clientSource(document);
  const types = astToString(await openapiTS(bundle, { readWriteMarkers: true }));
  const sources = {
    'generated/types.ts': types,
    'generated/operations.ts': operationsSource(document, bundle),
    'generated/errors.ts': errorsSource(document),
    'client/generated/types.ts': types,
    'client/generated/client.ts': client['client.ts'],
    'client/generated/schemas.ts': client['schemas.ts'],
    'src/api/operations/index.ts': handlersSource(document),
  };
  return Object.fromEntries(Object.entries(sources).map(([file, source]) => [file, notice + source]));
}

/** The text of generated/operations.ts: the declarations of each operation that the server acts on. */
function operationsSource({ version, operations, securitySchemes }: ApiDocument, bundle: string): string {
  const byId = Object.fromEntries(operations.map((operation) => [operation.operationId, declared(operation)]));
  const named = Object.entries(securitySchemes);
  const schemes = Object.fromEntries(named.map(([name, scheme]) => [name, { ...scheme, description: undefined }]));
  const rules = requestRulesOf(JSON.parse(bundle) as object, operations);
  return `/** The version of the document. */
export const version = ${JSON.stringify(version)};

/** Every operation of the document, by its operationId. */
export const operations = ${JSON.stringify(byId, null, 2)} as const;

/** How each kind of credential is presented. */
export const securitySchemes = ${JSON.stringify(schemes, null, 2)} as const;

/** The rules of requests, in the form in which express-openapi-validator enforces them. */
export const requestRules: object = ${JSON.stringify(rules, null, 2)};

/** What is never logged, in lower case: the headers of credentials, and the fields that are marked as \`x-sensitive\`. */
export const secretNames = ${JSON.stringify(secretNamesOf(bundle), null, 2)} as const;

/** An operationId of the document. */
export type OperationId = keyof typeof operations;
`;
}

function secretNamesOf(bundle: string): string[] {
  const names = new Set<string>();
  JSON.parse(bundle, (key, node: Readonly<Record<string, unknown>> | null) => {
    if (node?.['x-sensitive'] === true) names.add(key.toLowerCase());
    if (node?.['type'] === 'apiKey') names.add(String(node['name']).toLowerCase());
    if (node?.['type'] === 'http' && typeof node['scheme'] === 'string') names.add('authorization');
    return node;
  });
  return [...names].sort();
}

/** The declarations of an operation that the server acts on. */
export function declared(operation: Operation) {
  const { method, path, security, requiredPermission, requiredFeature, parameters, requestBody, responses } = operation;
  const described = Object.entries(responses);
  return {
    method,
    path,
    security,
    requiredPermission,
    requiredFeature,
    parameters: parameters.map(({ name, in: place, style, explode, schema: { type, items, default: value } }) => ({
      name,
      in: place as 'path' | 'query' | 'header',
      // Of an array of the style `simple`, both ways of exploding mean the same: its items with commas between them.
      explode: style === 'form' && explode,
      type: type ?? 'string',
      ...(type === 'array' && { itemType: items?.type ?? 'string' }),
      hasDefault: value !== undefined,
    })),
    maxBodyBytes: requestBody?.maxBytes ?? null,
    isBodyRequired: requestBody?.required ?? false,
    requestMediaTypes: Object.keys(requestBody?.content ?? {}),
    hasRequestRules: hasRequestRules(operation),
    responseMediaTypes: Object.fromEntries(described.map(([status, { content }]) => [status, Object.keys(content)])),
    responseHeaders: [...new Set(described.flatMap(([, { headers }]) => Object.keys(headers)))],
    errorCodes: Object.fromEntries(codesByStatus(responses).map(({ status, codes }) => [status, codes])),
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
