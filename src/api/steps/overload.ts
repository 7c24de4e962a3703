/**
 * Overload protection by the number of requests in flight. It is exact and the same on every machine, whereas the event
 * loop's lag rises only under overload. The step comes before authentication and the rate limit, so that a refusal
 * costs no look-up, and after routing, so that the log names the operation. A request that waits behind others of its
 * connection does not count.
 *
 * A request that waits for its own client is cut in favour of another. Otherwise the clients of one organisation could
 * occupy all slots by sending bodies slowly or not reading responses.
 */
import type { RequestHandler, Response } from 'express';
import { waitsForClient } from '../connections/fairness.ts';
import { unavailable } from '../errors.ts';

/** How old a request must be to be cut: in a burst, an honest client's body may only be a moment behind its head. */
const slowMilliseconds = 1000;

type InFlight = Readonly<{ response: Response; began: number }>;

/**
 * Allows `limit` requests in flight. A further request replaces the oldest one that waits for its client, whose
 * connection is cut; if there is none, it is refused.
 */
export function refuseOverload(limit: number): RequestHandler {
  // No Map: V8 copies the table of a busy one often, and what the old tables hold survives until a full garbage collection.
  // With a Map of the requests, the p99 of a read was four times as long (npm run bench).
  const places: (InFlight | undefined)[] = [];
  const free: number[] = [];
  return (request, response, next) => {
    const began = performance.now();
    const place = free.pop() ?? (places.length < limit ? places.length : slowest(places, began - slowMilliseconds));
    if (place === undefined) {
      request.overloaded = true;
      next(unavailable());
      return;
    }
    const slow = places[place]?.response;
    places[place] = { response, began };
    response.on('close', () => {
      if (places[place]?.response !== response) return;
      places[place] = undefined;
      free.push(place);
    });
    if (slow) {
      slow.req.overloaded = true;
      slow.destroy();
    }
    next();
  };
}

/** The place of the oldest request that began before this time and waits for its client. */
function slowest(places: readonly (InFlight | undefined)[], before: number): number | undefined {
  let found: number | undefined;
  let oldest = before;
  for (const [place, inFlight] of places.entries())
    if (inFlight && inFlight.began <= oldest && waitsForClient(inFlight.response.req, inFlight.response)) {
      found = place;
      oldest = inFlight.began;
    }
  return found;
}
