import type { Request, RequestHandler } from 'express';
import type { Config } from '../../runtime/config.ts';
import { Refusal } from '../errors.ts';
import type { RateLimit, RateLimitCount, RateLimitStore } from '../../rate-limits/rate-limit-store.ts';
import { type Headers, isPublic } from '../api-description.ts';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/**
 * Counts each request against its credential or, without a valid one, against the client's network (decision D31);
 * failed authentications, public operations and requests outside operations have separate limits. The response states
 * the limit in the headers of draft-ietf-httpapi-ratelimit-headers. Failures of others at the same address never affect
 * a valid credential, and only valid credentials and addresses take memory.
 */
export function rateLimit(
  { rateLimits, trustedProxies }: Pick<Config, 'rateLimits' | 'trustedProxies'>,
  store: RateLimitStore,
): RequestHandler {
  const { requests, failedAuthentications, publicRequests, otherRequests, windowSeconds } = rateLimits;
  const byCredential = quota({ name: 'credential', requests, windowSeconds }, store);
  const byNetwork = quota({ name: 'failed-authentication', requests: failedAuthentications, windowSeconds }, store);
  const byNetworkOfPublic = quota({ name: 'public', requests: publicRequests, windowSeconds }, store);
  const byNetworkOfOthers = quota({ name: 'other', requests: otherRequests, windowSeconds }, store);
  const networkOf = clientNetworkOf(trustedProxies);

  const quotaOf = ({ principal, operation }: Request) => {
    if (principal) return byCredential;
    if (!operation) return byNetworkOfOthers;
    return isPublic(operation) ? byNetworkOfPublic : byNetwork;
  };

  return (request, _response, next) => {
    const { principal } = request;
    const { count, stated } = quotaOf(request);
    const proceed = (counted: RateLimitCount): void => {
      request.rateLimit = stated(counted);
      next(counted.accepted ? undefined : new Refusal('request.rate-limit.exceeded'));
    };
    const counted = count(principal ? principal.credentialId : networkOf(request));
    // Counting in this process is synchronous.
    if (counted instanceof Promise) return counted.then(proceed);
    proceed(counted);
    return undefined;
  };
}

/** How a limit is counted, and the headers that state a count. */
function quota(limit: RateLimit, store: RateLimitStore) {
  const { name, requests, windowSeconds } = limit;
  const policy = `"${name}";q=${requests};w=${windowSeconds}`;
  const stated = ({ accepted, remaining, resetSeconds }: RateLimitCount): Headers => {
    // When the clock was set back, more than the whole window seems to be left of it.
    const seconds = Math.min(resetSeconds, windowSeconds);
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"${name}";r=${remaining};t=${seconds}` };
    return accepted ? headers : { ...headers, 'Retry-After': seconds };
  };
  return { count: store.counterOf(limit), stated };
}

/**
 * The network in which a client can choose its address: the IPv4 address itself, or the /64 of an IPv6 address. Only
 * trusted proxies may name the client that they forward for.
 */
function clientNetworkOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => networkOf(socket.remoteAddress);
  const isTrusted = proxyaddr.compile([...trustedProxies]);
  return (request) =>
    networkOf(withoutPort(proxyaddr(request, (address, index) => isTrusted(withoutPort(address), index))));
}

/** Some proxies write the client's port, too: 192.0.2.1:443 or [2001:db8::1]:443. */
function withoutPort(address: string): string {
  const [, bracketed, version4] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  return bracketed ?? version4 ?? address;
}

function networkOf(address = ''): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
