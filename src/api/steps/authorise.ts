import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';
import { operationOf, principalOf } from '../request-state.ts';

/** Refuses a caller without the permission, then one without the feature, that the document requires of the operation. */
export const authorise: RequestHandler = (request, _response, next) => {
  const { requiredPermission, requiredFeature } = operationOf(request);
  const { permissions, features } = principalOf(request);
  if (requiredPermission !== null && !permissions.has(requiredPermission)) next(new Refusal('request.forbidden'));
  else if (requiredFeature !== null && !features.has(requiredFeature))
    next(new Refusal('request.organisations.feature-flag.not-enabled'));
  else next();
};
