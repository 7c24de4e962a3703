/**
 * Overload protection by a count of the requests in flight. A count is exact, and the same on every machine; the lag of the
 * event loop rises only after the harm is done. The step comes before authentication and the rate limit, so that a
 * refusal costs no look-up, and behind the routing, so that each refusal is a response of an operation.
 * It counts what has begun: a request that waits behind others of its connection takes no place.
 */
import type { RequestHandler } from 'express';
import { unavailable } from '../errors.ts';

/** Refuses each request that comes while `limit` others wait for their response, or for their client to read it. */
export function refuseOverload(limit: number): RequestHandler {
  let inFlight = 0;
  return (request, response, next) => {
    if (inFlight >= limit) {
      request.overloaded = true;
      next(unavailable());
      return;
    }
    inFlight += 1;
    response.once('close', () => (inFlight -= 1));
    next();
  };
}
