/**
 * Finds and binds operations by operationId with openapi-backend. It is used as a router alone, since it fails open:
 * authentication and validation are steps of their own, and the set of handlers is checked here at start.
 */
import { params as parametersIn } from 'bath-es5';
import { type HandlerMap, OpenAPIBackend } from 'openapi-backend';
import { type OperationId, operations } from '../../generated/operations.js';
import { Refusal } from '../errors.js';
import { openApiDocument } from '../document.js';
import type { MatchedOperation } from './request-state.js';

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
  const ask = (method: string, path: string) => api.matchOperation({ method, path, headers: {} });
  const paths = new Set(declared.map(({ path }) => path));
  const templates = [...paths].filter((path) => path.includes('{')).map(templateOf);
  const found = new Map<string, ReturnType<typeof ask>>();
  // It would compile each template anew for each request. Which of them a path fits decides what it finds for a method; but it
  // takes off white space first, so that what it finds by another path than a fitting template is not remembered.
  const match = (method: string, path: string) => {
    const fitting = paths.has(path) ? [] : templates.filter(({ fits }) => fits(path)).map(({ template }) => template);
    const key = [method, ...fitting].join(' ');
    const known = fitting.length > 0 ? found.get(key) : undefined;
    if (known) return known;
    const matched = ask(method, path);
    if (matched && fitting.includes(matched.path)) found.set(key, matched);
    return matched;
  };

  return {
    find(method, path) {
      const matched = match(method, path);
      if (!matched) return refuse(path);
      const operationId = matched.operationId as OperationId;
      const operation = { operationId, ...operations[operationId] };
      const pathParameters = templates.find(({ template }) => template === matched.path)?.parametersOf(path) ?? {};
      return { operation, pathParameters };
    },
    handler: (operationId) => api.handlers[operationId],
  };

  function refuse(path: string): Refusal {
    const allowed = methods.filter((method) => match(method, path)).map((method) => method.toUpperCase());
    if (allowed.length === 0) return new Refusal('request.not-found');
    if (allowed.includes('GET')) allowed.push('HEAD');
    return new Refusal('request.method-not-allowed', { headers: { Allow: allowed.sort().join(', ') } });
  }
}

/** A path with parameters, none of which may be empty. */
function templateOf(template: string) {
  const parametersOf = parametersIn(template);
  const fits = (path: string) => {
    const parameters = parametersOf(path);
    return parameters !== null && Object.values(parameters).every((value) => value !== '');
  };
  return { template, parametersOf, fits };
}
