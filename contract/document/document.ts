/** What the contract suite, the mock and the proxy know of the document: nothing of a server's own code. */
import { openApiDocument } from '../../src/api/document.ts';

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

export interface Schema {
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  'x-extensible-enum'?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  default?: unknown;
  example?: unknown;
  [keyword: string]: unknown;
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
  requestBody?: { required?: boolean; content: Record<string, MediaTypeObject> };
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

const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The document with every reference replaced by what it refers to. */
export const contractDocument = dereference(openApiDocument) as ContractDocument;

/** Every operation of the document. */
export const documentedOperations: readonly DocumentedOperation[] = Object.entries(contractDocument.paths).flatMap(
  ([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, method, path, hasOwnServers: item.servers !== undefined }] : [];
    }),
);

/** The operations of the path that a request's path and query match, whatever its method. */
export function operationsOfPath(path: string): DocumentedOperation[] {
  const pathOnly = path.replace(/\?.*/s, '');
  const templates = [...new Set(documentedOperations.map((operation) => operation.path))];
  const template = templates.find((candidate) => patternOf(candidate).test(pathOnly));
  return documentedOperations.filter((operation) => operation.path === template);
}

/** The operation that a request calls, if the document has it. HEAD calls what GET calls. */
export function findOperation(method: string, path: string): DocumentedOperation | undefined {
  const wanted = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  return operationsOfPath(path).find((operation) => operation.method === wanted);
}

/** The operationId that the document gives this request, if any. */
export function operationIdOf(method: string, path: string): string | undefined {
  return findOperation(method, path)?.operationId;
}

/** The operation whose path begins with a word that this path holds too, in any spelling: the one it was meant to miss. */
function operationLikePath(path: string): DocumentedOperation | undefined {
  return documentedOperations.find((operation) =>
    path.toLowerCase().includes(operation.path.replace(/(?<=.)\/.*/, '').toLowerCase()),
  );
}

/** Whether a request, though its path or method may be wrong, is meant for the host of paths with own base addresses. */
export function hasOwnHost(method: string, path: string): boolean {
  const operation = findOperation(method, path) ?? operationsOfPath(path)[0] ?? operationLikePath(path);
  return operation?.hasOwnServers === true;
}

/** The largest body in bytes, as the description of the operation's 413 answer states it; undefined if it states none. */
export function bodyLimitOf({ responses }: Pick<OperationObject, 'responses'>): number | undefined {
  const [, kibibytes] = /(\d+) KiB/.exec(responses['413']?.description ?? '') ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

function dereference(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(dereference);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node && typeof node.$ref === 'string') return dereference(resolve(node.$ref));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, dereference(value)]));
}

function resolve(reference: string): unknown {
  const keys = reference.slice(2).split('/');
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], openApiDocument);
}
