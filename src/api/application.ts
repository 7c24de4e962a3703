import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { ApiDescription, MatchedOperation } from './api-description.ts';
import { canonicaliseRequest } from './steps/arrival.ts';
import { type Handler, OpenAPIBackend } from 'openapi-backend';

/** The classes that a server makes its requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** A listener, and the classes of which its server best makes what it is given. */
export type Application = RequestListener & MessageClasses;

export interface Steps {
  /** Taken by every request. */
  readonly arrival: readonly RequestHandler[];
  /** Taken by a request that calls an operation. */
  readonly operation: readonly RequestHandler[];
  /** Taken by every other request. */
  readonly otherwise: readonly RequestHandler[];
  /** Taken after a step that failed. */
  readonly failure: ErrorRequestHandler;
}

/** An application that takes each request, in its canonical form, through these steps until one has responded. */
export function createApplication(operations: Iterable<MatchedOperation>, steps: Steps): Application {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const ordered = [...operations].sort((a, b) => compare(sortKey(a.path), sortKey(b.path)));
  for (const operation of ordered) {
    const matched: RequestHandler = (request, _response, next) => {
      request.operation = operation;
      next();
    };
    const handler = inOrder([...steps.arrival, matched, ...steps.operation], steps.failure);
    app.route(routeOf(operation.path))[operation.method as 'get'](handler);
  }
  for (const { path, method } of ordered)
    app.all(routeOf(path), (request, _response, next) => {
      request.allowed = new Set(request.allowed).add(method.toUpperCase());
      next();
    });
  app.route(/^/).all(inOrder([...steps.arrival, ...steps.otherwise], steps.failure));
  const listener: RequestListener = (request, response) => {
    canonicaliseRequest(request);
    app(request as express.Request, response as express.Response, () => response.destroy());
  };
  return Object.assign(listener, messageClassesOf(app));
}

/** One handler that takes these steps, as Express takes them, in half of the time: nothing is matched between them. */
function inOrder(steps: readonly RequestHandler[], failure: ErrorRequestHandler): RequestHandler {
  return (request, response, giveUp) => {
    let taken = 0;
    const fail = (error: unknown): unknown => failure(error, request, response, giveUp);
    const next = (error?: unknown): void => {
      if (error !== undefined && error !== null) {
        fail(error);
        return;
      }
      const step = steps[taken];
      taken += 1;
      if (!step) {
        giveUp();
        return;
      }
      try {
        const result: unknown = step(request, response, next);
        if (result instanceof Promise) result.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    next();
  };
}

/** Puts a path before those that have a parameter where it has none, since Express takes the first that matches. */
function sortKey(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '\uffff');
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** A path template in the form that Express knows. */
function routeOf(path: string): string {
  const parts = path.split(/\{([^}]*)\}/);
  return parts
    .map((part, index) =>
      index % 2 === 1 ? `:"${part.replaceAll(/["\\]/g, '\\$&')}"` : part.replaceAll(/[{}()[\]+?!:*\\]/g, '\\$&'),
    )
    .join('');
}

/**
 * Express replaces the prototype of each request and response, which deoptimises V8's code for them. Instances of these
 * classes have Express's prototype from the start.
 */
function messageClassesOf(app: express.Express): MessageClasses {
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as express.Request;
  app.response = Response.prototype as express.Response;
  return { IncomingMessage: Request, ServerResponse: Response };
}

/**
 * Binds handlers to operationIds with openapi-backend at start. Express routes the requests, because openapi-backend
 * compiles a pattern for each path in each request, and admits unauthenticated ones.
 * @throws {Error} if handlers and operations are not the same set
 */
export async function bindHandlers<Bound extends (...input: never[]) => unknown>(
  operations: ApiDescription['operations'],
  handlers: Readonly<Record<string, Bound>>,
): Promise<ReadonlyMap<string, Bound>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, { path, method }] of Object.entries(operations))
    (paths[path] ??= {})[method] = { operationId };
  const api = new OpenAPIBackend({
    // It would copy and resolve a whole document.
    definition: { openapi: '3.0.3', info: { title: '', version: '' }, paths },
    handlers: handlers as unknown as Record<string, Handler>,
    strict: true,
    // The document is checked when it is linted, not at each start.
    quick: true,
    validate: false,
  });
  await api.init();
  return new Map(
    api.router.getOperations().map(({ operationId = '' }) => {
      if (!Object.hasOwn(handlers, operationId)) throw new Error(`The operation ${operationId} has no handler.`);
      return [operationId, api.handlers[operationId] as unknown as Bound];
    }),
  );
}
