import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';

const reachable = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address at which a client on this machine reaches a server that listens on a host and port. */
export function baseUrlOf(host: string, port: number): string {
  const name = reachable.get(host) ?? host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether a server that listens on this host can be reached from this machine alone. */
export async function isLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return (
    addresses.length > 0 &&
    addresses.every(({ address, family }) => loopback.check(address, family === 6 ? 'ipv6' : 'ipv4'))
  );
}
