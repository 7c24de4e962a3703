/**
 * Writes, from the bundled document, generated/types.ts (openapi-typescript), generated/operations.ts, the table of
 * operations that the server is driven by, and generated/client.ts, what the client knows of the document. A document
 * that leaves open who may call an operation is refused.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { type ClientDocument, clientSource } from './client-source.ts';

interface ParameterObject {
  in: string;
  schema?: object;
}

interface OperationObject {
  operationId: string;
  parameters?: ParameterObject[];
  security: Record<string, string[]>[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
  'x-required-permission'?: string | null;
  'x-required-feature'?: string | null;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const notice = '// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.\n\n';
const source = readFileSync('generated/openapi.json', 'utf8');
const document = JSON.parse(source) as { paths: Record<string, Record<string, OperationObject>> };

for (const [, reference = ''] of source.matchAll(/"\$ref": "([^"]*)"/g))
  if (!/^#\/components\/\w+\/[^/]+$/.test(reference))
    throw new Error(`${reference}: only whole components can be referred to; Dredd and the validator know no others`);

/** Whether a request can break a rule of its operation: any segment of a path is a string. */
function hasRequestRules({ requestBody, parameters = [] }: OperationObject, ofPath: ParameterObject[]): boolean {
  const isAnySegment = (parameter: ParameterObject) =>
    parameter.in === 'path' && JSON.stringify(parameter.schema) === '{"type":"string"}';
  return requestBody !== undefined || ![...ofPath, ...parameters].every(isAnySegment);
}

function parametersOf(path: string): ParameterObject[] {
  const item = document.paths[path] as { parameters?: ParameterObject[] } | undefined;
  return item?.parameters ?? [];
}

function describe(path: string, method: string, operation: OperationObject) {
  const { operationId, security, responses } = operation;
  const [requirement, ...alternatives] = security;
  const [securityScheme, ...further] = Object.keys(requirement ?? {});
  if (securityScheme === undefined || alternatives.length > 0 || further.length > 0)
    throw new Error(`${operationId}: exactly one security scheme is required`);
  for (const key of ['x-required-permission', 'x-required-feature'] as const)
    if (operation[key] === undefined)
      throw new Error(`${operationId}: ${key} is absent; null means that none is required`);
  return {
    method,
    path,
    securityScheme,
    requiredPermission: operation['x-required-permission'],
    requiredFeature: operation['x-required-feature'],
    hasRequestBody: operation.requestBody !== undefined,
    hasRequestRules: hasRequestRules(operation, parametersOf(path)),
    statuses: Object.keys(responses),
  };
}

const operations = Object.fromEntries(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => methods.includes(key))
      .map(([method, operation]) => [operation.operationId, describe(path, method, operation)]),
  ),
);

writeFileSync('generated/types.ts', notice + astToString(await openapiTS(source)));
writeFileSync(
  'generated/operations.ts',
  `${notice}/** Every operation of the document, by its operationId. */
export const operations = ${JSON.stringify(operations, null, 2)} as const;

/** An operationId of the document. */
export type OperationId = keyof typeof operations;

/** What the document declares of one operation, in so far as the server acts on it. */
export type Operation = (typeof operations)[OperationId];

/** A permission that some operation requires. */
export type Permission = NonNullable<Operation['requiredPermission']>;

/** A feature that some operation requires of the caller's organisation. */
export type Feature = NonNullable<Operation['requiredFeature']>;
`,
);
writeFileSync('generated/client.ts', notice + clientSource(JSON.parse(source) as ClientDocument, methods));
