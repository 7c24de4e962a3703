import { isIPv6 } from 'node:net';

const reachable = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address at which a client on this machine reaches a server that listens on a host and port. */
export function baseUrlOf(host: string, port: number): string {
  const name = reachable.get(host) ?? host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}
