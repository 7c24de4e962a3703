import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';
import type { OperationsRouter } from '../operations-router.ts';

/** Finds the operation that a request calls; a path or a method without one goes no further. */
export function findOperation(router: OperationsRouter): RequestHandler {
  return (request, _response, next) => {
    const found = router.find(request.method, request.path);
    if (found instanceof Refusal) {
      next(found);
      return;
    }
    request.operation = found.operation;
    request.pathParameters = found.pathParameters;
    next();
  };
}
