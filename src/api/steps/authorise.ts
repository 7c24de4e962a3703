import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';
import { isPublic, operationOf, principalOf } from '../request-state.ts';

/** Refuses a caller without the permission, then one without the feature, that the document requires of the operation. */
export const authorise: RequestHandler = (request, _response, next) => {
  const operation = operationOf(request);
  if (isPublic(operation)) {
    next();
    return;
  }
  const { requiredPermission, requiredFeature } = operation;
  const { permissions, features } = principalOf(request);
  if (requiredPermission !== null && !permissions.has(requiredPermission)) next(new Refusal('request.forbidden'));
  else if (requiredFeature !== null && !features.has(requiredFeature))
    next(new Refusal('request.organisations.feature-flag.not-enabled'));
  else next();
};
