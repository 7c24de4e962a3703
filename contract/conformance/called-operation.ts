import { operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';

/** The operation that a request calls, if the document has it. HEAD calls what GET calls. */
export function calledOperation(document: ApiDocument, method: string, path: string): Operation | undefined {
  const wanted = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  return operationsOfPath(document, pathOnly(path)).find((operation) => operation.method === wanted);
}

/** Whether a request, though its path or method may be wrong, is meant for the host of paths with base addresses of their own. */
export function hasOwnHost(document: ApiDocument, method: string, path: string): boolean {
  const operation =
    calledOperation(document, method, path) ??
    operationsOfPath(document, pathOnly(path))[0] ??
    operationLikePath(document, path);
  return operation?.servers !== undefined;
}

/** Whether the operation may be called without a credential. */
export function isPublic({ security }: Operation): boolean {
  return security.length === 0 || security.some((schemes) => schemes.length === 0);
}

/** Without the query. */
export function pathOnly(path: string): string {
  return path.replace(/\?.*/s, '');
}

/** The operation whose path begins with a word that this path also contains, in any spelling. */
function operationLikePath({ operations }: ApiDocument, path: string): Operation | undefined {
  return operations.find((operation) =>
    path.toLowerCase().includes(operation.path.replace(/(?<=.)\/.*/, '').toLowerCase()),
  );
}
