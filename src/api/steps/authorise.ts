import type { RequestHandler } from 'express';
import { refusalOf } from '../authorisation.ts';
import { isPublic, operationOf, principalOf } from '../request-state.ts';

/** Refuses a caller without the permission, then one without the feature, that the document requires of the operation. */
export const authorise: RequestHandler = (request, _response, next) => {
  const operation = operationOf(request);
  next(isPublic(operation) ? undefined : refusalOf(operation, principalOf(request)));
};
