import type { RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimits } from '../config.js';
import { Refusal } from '../errors.js';

/**
 * Counts each request against its credential, or, if it has no valid one, against its client address (decision D31), and
 * states the limit that counted in the headers of draft-ietf-httpapi-ratelimit-headers. Valid credentials are never
 * refused for the failures of others at the same address, and only valid ones and addresses take up memory.
 */
export function rateLimit({ requests, failedAuthentications, windowSeconds }: RateLimits): RequestHandler {
  const byCredential = quota('credential', requests, windowSeconds);
  const byAddress = quota('failed-authentication', failedAuthentications, windowSeconds);

  return async (request, response, next) => {
    const { principal } = request;
    const accepted = principal
      ? await byCredential(principal.credentialId, response)
      : await byAddress(networkOf(request.socket.remoteAddress), response);
    if (accepted) {
      next();
      return;
    }
    next(new Refusal('request.rate-limit.exceeded'));
  };
}

function quota(name: string, points: number, windowSeconds: number) {
  const limiter = new RateLimiterMemory({ points, duration: windowSeconds });
  const policy = `"${name}";q=${points};w=${windowSeconds}`;

  return async (key: string, response: Response): Promise<boolean> => {
    const { accepted, state } = await limiter.consume(key).then(
      (consumed) => ({ accepted: true, state: consumed }),
      (rejected: unknown) => {
        if (rejected instanceof RateLimiterRes) return { accepted: false, state: rejected };
        throw rejected;
      },
    );
    const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${name}";r=${state.remainingPoints};t=${resetSeconds}`);
    if (!accepted) response.setHeader('Retry-After', resetSeconds);
    return accepted;
  };
}

/** The network that one client can choose its address from: the address itself, or the /64 of an IPv6 address. */
function networkOf(address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
