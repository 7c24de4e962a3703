import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';

/** Refuses a request to an unknown path (404), or with a method that its path does not allow (405). */
export const refuseUnmatched: RequestHandler = ({ allowed }, _response, next) => {
  if (!allowed) {
    next(new Refusal('request.not-found'));
    return;
  }
  const methods = allowed.has('GET') ? [...allowed, 'HEAD'] : [...allowed];
  next(new Refusal('request.method-not-allowed', { headers: { Allow: methods.sort().join(', ') } }));
};
