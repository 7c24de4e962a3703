import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/**
 * Tells the network that a request's client can choose its address from: the address itself, or the /64 of an IPv6
 * address. Each trusted proxy is believed what it says of whom it forwards for; nobody else is.
 */
export function clientNetworkOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyaddr.compile([...trustedProxies]);
  return (request) => networkOf(proxyaddr(request, isTrusted));
}

function networkOf(address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
