import type { ApiDocument, Operation } from './model.ts';

type Operations = Pick<ApiDocument, 'operations'>;

/** By the operations of a document, the last path that was looked for: each request is judged in several places. */
const lastFound = new WeakMap<readonly Operation[], { readonly path: string; readonly found: readonly Operation[] }>();

/** The operations of the path that a request's path and query match. A path without parameters takes precedence. */
export function operationsOfPath({ operations }: Operations, path: string): readonly Operation[] {
  const last = lastFound.get(operations);
  if (last?.path === path) return last.found;
  const pathOnly = path.replace(/\?.*/s, '');
  const paths = operations.map((operation) => operation.path);
  const [template] = paths.filter((each) => patternOf(each).test(pathOnly)).sort(byFixedSegments);
  const found = operations.filter((operation) => operation.path === template);
  lastFound.set(operations, { path, found });
  return found;
}

/** The methods that `Allow` lists for a path: those that it has, and HEAD if it has GET. */
export function allowedMethods(document: Operations, path: string): string[] {
  const methods = operationsOfPath(document, path).map(({ method }) => method.toUpperCase());
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** The operation that a request calls, if there is one. HEAD calls the operation of GET, unless it has its own. */
export function matchOperation(document: Operations, method: string, path: string): Operation | undefined {
  const candidates = operationsOfPath(document, path);
  const withMethod = (wanted: string) => candidates.find((operation) => operation.method === wanted);
  const wanted = method.toLowerCase();
  return withMethod(wanted) ?? (wanted === 'head' ? withMethod('get') : undefined);
}

/** Whether a request, possibly with a wrong path or method, is meant for the host of a path with its own base addresses. */
export function hasOwnHost(document: Operations, method: string, path: string): boolean {
  // A wrong path may have the first segment of a right one, in any letter case.
  const isLike = (operation: Operation) =>
    path.toLowerCase().includes(operation.path.replace(/(?<=.)\/.*/, '').toLowerCase());
  const operation =
    matchOperation(document, method, path) ?? operationsOfPath(document, path)[0] ?? document.operations.find(isLike);
  return operation?.servers !== undefined;
}

/**
 * Of two templates that match a path, the one with a fixed segment where they first differ comes first, or else the one with more fixed
 * letters, as `/books/{book}:archive` before `/books/{book}`.
 */
function byFixedSegments(one: string, other: string): number {
  const [ones, others] = [one.split('/'), other.split('/')];
  const at = ones.findIndex((segment, index) => segment.includes('{') !== (others[index] ?? '').includes('{'));
  const fixed = (template: string) => template.replaceAll(/\{[^}]+\}/g, '').length;
  return at < 0 ? fixed(other) - fixed(one) : Number(ones[at]?.includes('{')) * 2 - 1;
}

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known) return known;
  const fixed = template.split(/\{[^}]+\}/).map(literally);
  const pattern = new RegExp(`^${fixed.join('[^/]+')}$`);
  patterns.set(template, pattern);
  return pattern;
}

/** A text in a regular expression that matches it alone. */
export function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
