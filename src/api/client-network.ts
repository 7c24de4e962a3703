import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/**
 * Tells the network that a request's client can choose its address from: the address itself, or the /64 of an IPv6
 * address. Each trusted proxy is believed what it says of whom it forwards for; nobody else is.
 */
export function clientNetworkOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
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
