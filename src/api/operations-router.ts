/**
 * Finds and binds operations by operationId with openapi-backend. It is used as a router alone, since it fails open:
 * authentication and validation are steps of their own, and the set of handlers is checked here at start.
 */
import { params as parametersIn } from 'bath-es5';
import { type HandlerMap, OpenAPIBackend } from 'openapi-backend';
import { type OperationId, operations } from '../../generated/operations.ts';
import { Refusal } from './errors.ts';
import { openApiDocument } from './document.ts';
import type { MatchedOperation } from './request-state.ts';

export interface OperationMatch {
  operation: MatchedOperation;
  pathParameters: Record<string, string>;
}

export interface OperationsRouter<Handler = unknown> {
  /** The operation of a canonical method and path, or the refusal of a path (404) or method (405) that has none. */
  find(method: string, path: string): OperationMatch | Refusal;
  /** The handler bound to an operationId. */
  handler(operationId: OperationId): Handler;
}

/** @throws {Error} if handlers and operationIds of the document are not the same set */
export async function createOperationsRouter<Handlers extends Readonly<Record<OperationId, unknown>>>(
  handlers: Handlers,
): Promise<OperationsRouter<Handlers[OperationId]>> {
  const api = new OpenAPIBackend({
    definition: structuredClone(openApiDocument),
    handlers: handlers as HandlerMap,
    strict: true,
    // The document is checked when it is linted, not at each start.
    quick: true,
    validate: false,
    ignoreTrailingSlashes: false,
  });
  await api.init();
  const declared = api.router.getOperations();
  for (const { operationId } of declared)
    if (!Object.hasOwn(handlers, String(operationId)))
      throw new Error(`The operation ${String(operationId)} has no handler.`);
  // It would list them anew for each request.
  api.router.getOperations = () => declared;

  const methods = [...new Set(declared.map(({ method }) => method))];
  const paths = [...new Set(declared.map(({ path }) => path))];
  const literals = new Map(
    paths.filter((path) => !path.includes('{')).map((path) => [path, [{ path, parameters: {} }]]),
  );
  const templates = paths.filter((path) => !literals.has(path)).map(templateOf);
  const fitsOf = (path: string): Fit[] => literals.get(path) ?? templates.flatMap((fit) => fit(path) ?? []);

  const found = new Map<string, { path: string; operation: MatchedOperation }>();
  // It would compile each template anew for each request, though what it finds for a method depends only on which of them fit.
  // It takes off white space first: what it finds by another path than a fitting one counts as not found.
  const match = (method: string, fits: Fit[], path: string) => {
    if (fits.length === 0) return undefined;
    const key = [method, ...fits.map((fit) => fit.path)].join(' ');
    const known = found.get(key);
    if (known) return known;
    const matched = api.matchOperation({ method, path, headers: {} });
    if (!matched || !fits.some((fit) => fit.path === matched.path)) return undefined;
    const operationId = matched.operationId as OperationId;
    const remembered = { path: matched.path, operation: { operationId, ...operations[operationId] } };
    found.set(key, remembered);
    return remembered;
  };

  return {
    find(method, path) {
      const fits = fitsOf(path);
      const matched = match(method, fits, path);
      if (!matched) return refuse(fits, path);
      const pathParameters = fits.find((fit) => fit.path === matched.path)?.parameters ?? {};
      return { operation: matched.operation, pathParameters };
    },
    handler: (operationId) => api.handlers[operationId],
  };

  function refuse(fits: Fit[], path: string): Refusal {
    const allowed = methods.filter((method) => match(method, fits, path)).map((method) => method.toUpperCase());
    if (allowed.length === 0) return new Refusal('request.not-found');
    if (allowed.includes('GET')) allowed.push('HEAD');
    return new Refusal('request.method-not-allowed', { headers: { Allow: allowed.sort().join(', ') } });
  }
}

/** A declared path that a request's path fits. */
interface Fit {
  readonly path: string;
  readonly parameters: Record<string, string>;
}

/** Tells whether a path fits a template, none of whose parameters may be empty. */
function templateOf(template: string): (path: string) => Fit | undefined {
  const parametersOf = parametersIn(template);
  return (path) => {
    const parameters = parametersOf(path);
    const fits = parameters !== null && Object.values(parameters).every((value) => value !== '');
    return fits ? { path: template, parameters } : undefined;
  };
}
