/** The document in its earlier form. New code reads `ownDocument` by contract/document/index.ts. */
import { hasOwnHost as isOwnHost, matchOperation, operationsOfPath as operationsAt } from './match.ts';
import { httpMethods, type Schema } from './model.ts';
import { ownBundle, ownDocument } from './own-document.ts';
import { dereference } from './references.ts';

export type { Schema } from './model.ts';

export interface HeaderObject {
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface MediaTypeObject {
  schema: Schema;
  examples: Record<string, { value: unknown }>;
}

export interface ResponseObject {
  description?: string;
  headers: Record<string, HeaderObject>;
  content: Record<string, MediaTypeObject>;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface OperationObject {
  operationId: string;
  parameters?: ParameterObject[];
  requestBody?: { required?: boolean; content: Record<string, MediaTypeObject>; 'x-max-body-bytes'?: number };
  responses: Record<string, ResponseObject>;
  security: Record<string, string[]>[];
  'x-required-permission': string | null;
  'x-required-feature': string | null;
}

export type SecurityScheme = { type: 'apiKey'; name: string } | { type: 'http'; scheme: string };

export interface ContractDocument {
  info: { version: string; description: string };
  paths: Record<string, Record<string, OperationObject> & { servers?: unknown[] }>;
  components: {
    securitySchemes: Record<string, SecurityScheme>;
    schemas: Record<string, Schema>;
    headers: Record<string, HeaderObject>;
  };
  'x-service-responses': Record<string, ResponseObject>;
}

/** An operation with where it stands in the document. */
export interface DocumentedOperation extends OperationObject {
  method: string;
  path: string;
  /** Whether its path has base addresses of its own. */
  hasOwnServers: boolean;
}

/** The document with every reference replaced by what it refers to. */
export const contractDocument = dereference(ownBundle) as ContractDocument;

/** Every operation of the document. */
export const documentedOperations: readonly DocumentedOperation[] = Object.entries(contractDocument.paths).flatMap(
  ([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, method, path, hasOwnServers: item.servers !== undefined }] : [];
    }),
);

const document = { operations: documentedOperations };

/** The operations of the path that a request's path and query match, whatever its method. */
export function operationsOfPath(path: string): DocumentedOperation[] {
  return operationsAt(document, path);
}

/** The operation that a request calls, if the document has it. HEAD calls what GET calls. */
export function findOperation(method: string, path: string): DocumentedOperation | undefined {
  return matchOperation(document, method, path);
}

/** The operationId that the document gives this request, if any. */
export function operationIdOf(method: string, path: string): string | undefined {
  return findOperation(method, path)?.operationId;
}

/** Whether a request, though its path or method may be wrong, is meant for the host of paths with own base addresses. */
export function hasOwnHost(method: string, path: string): boolean {
  return isOwnHost(ownDocument, method, path);
}

/** The largest body of an operation in bytes; undefined if the document states none. */
export function bodyLimitOf({ requestBody }: Pick<OperationObject, 'requestBody'>): number | undefined {
  return requestBody?.['x-max-body-bytes'];
}
