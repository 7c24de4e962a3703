import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';

/** Refuses a request that calls no operation: its path has none (404), or none with its method (405). */
export const refuseUnmatched: RequestHandler = ({ allowed }, _response, next) => {
  if (!allowed) {
    next(new Refusal('request.not-found'));
    return;
  }
  const methods = allowed.has('GET') ? [...allowed, 'HEAD'] : [...allowed];
  next(new Refusal('request.method-not-allowed', { headers: { Allow: methods.sort().join(', ') } }));
};
