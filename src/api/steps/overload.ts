/**
 * Overload protection by a count of the requests in flight. A count is exact, and the same on every machine; the lag of the
 * event loop rises only after the harm is done. The step comes before authentication and the rate limit, so that a
 * refusal costs no look-up, and behind the routing, so that each refusal is a response of an operation.
 * It counts what has begun: a request that waits behind others of its connection takes no place.
 *
 * A request that has waited for its own client gives its place to another. Otherwise the clients of one organisation could
 * take all places by sending their bodies slowly, or by reading no response, and lock out all others.
 */
import type { RequestHandler, Response } from 'express';
import { waitsForClient } from '../connections/waits-for-client.ts';
import { unavailable } from '../errors.ts';

/** How old a request must be to be cut: in a burst, an honest client's body may only be a moment behind its head. */
const slowMilliseconds = 1000;

/**
 * Lets at most `limit` requests be in flight. Each further one takes the place of the oldest that waits for its client, whose
 * connection is cut; if there is none, it is refused.
 */
export function refuseOverload(limit: number): RequestHandler {
  /** When each of them began, the oldest first. */
  const inFlight = new Map<Response, number>();
  return (request, response, next) => {
    const now = performance.now();
    if (inFlight.size >= limit) {
      const slow = oldestWaitingForClient(inFlight, now - slowMilliseconds);
      if (!slow) {
        request.overloaded = true;
        next(unavailable());
        return;
      }
      slow.req.overloaded = true;
      inFlight.delete(slow);
      slow.destroy();
    }
    inFlight.set(response, now);
    response.once('close', () => inFlight.delete(response));
    next();
  };
}

function oldestWaitingForClient(inFlight: ReadonlyMap<Response, number>, before: number): Response | undefined {
  for (const [response, began] of inFlight) {
    if (began > before) return undefined;
    if (waitsForClient(response.req, response)) return response;
  }
  return undefined;
}
