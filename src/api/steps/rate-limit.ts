import type { RequestHandler, Response } from 'express';
import type { Config } from '../../runtime/config.ts';
import { Refusal } from '../errors.ts';
import type { RateLimit, RateLimitStore } from '../../rate-limits/rate-limit-store.ts';
import { isPublic, operationOf } from '../request-state.ts';
import { clientNetworkOf } from '../client-network.ts';

/**
 * Counts each request against its credential, or, if it has no valid one, against its client's network (decision D31): a
 * request of a public operation apart from failed authentications. The step states the limit that counted in the headers of
 * draft-ietf-httpapi-ratelimit-headers. Valid credentials are never refused for the failures of others at the same address,
 * and only valid ones and addresses take up memory.
 */
export function rateLimit(
  { rateLimits, trustedProxies }: Pick<Config, 'rateLimits' | 'trustedProxies'>,
  store: RateLimitStore,
): RequestHandler {
  const { requests, failedAuthentications, publicRequests, windowSeconds } = rateLimits;
  const byCredential = quota({ name: 'credential', requests, windowSeconds }, store);
  const byNetwork = quota({ name: 'failed-authentication', requests: failedAuthentications, windowSeconds }, store);
  const byNetworkOfPublic = quota({ name: 'public', requests: publicRequests, windowSeconds }, store);
  const networkOf = clientNetworkOf(trustedProxies);

  return async (request, response, next) => {
    const { principal } = request;
    const accepted = principal
      ? await byCredential(principal.credentialId, response)
      : await (isPublic(operationOf(request)) ? byNetworkOfPublic : byNetwork)(networkOf(request), response);
    if (accepted) {
      next();
      return;
    }
    next(new Refusal('request.rate-limit.exceeded'));
  };
}

function quota(limit: RateLimit, store: RateLimitStore) {
  const count = store.counterOf(limit);
  const { name, requests, windowSeconds } = limit;
  const policy = `"${name}";q=${requests};w=${windowSeconds}`;

  return async (key: string, response: Response): Promise<boolean> => {
    const { accepted, remaining, ...counted } = await count(key);
    // When the clock was set back, more than the whole window seems to be left of it.
    const resetSeconds = Math.min(counted.resetSeconds, windowSeconds);
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
    if (!accepted) response.setHeader('Retry-After', resetSeconds);
    return accepted;
  };
}
