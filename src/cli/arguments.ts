import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { Argument, type Command, Help, InvalidArgumentError, type Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { millisecondsOf } from '../domain/time.ts';

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Parses a duration, as in `90d`, `12h`, `30m` or `90s`, to milliseconds. */
export function duration(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError(
      'It must be a number of days, hours, minutes or seconds, such as 90d, 12h, 30m or 90s.',
    );
  return milliseconds;
}

/** Parses an identifier to lower case, as the store saves it. */
export function identifier(text: string): string {
  return text.toLowerCase();
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** A file or folder argument, for shell completion. */
export class PathArgument extends Argument {}

const reachable = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address at which a client on this machine reaches a server that listens on a host and port. */
export function baseUrlOf(host: string, port: number): string {
  const name = reachable.get(host) ?? host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

export async function isLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => ipaddr.process(address).range() === 'loopback');
}

export function nameOfInput(file: string): string {
  return file === '-' ? 'the standard input' : file;
}

/** The options that all commands share: those of the program except its version. */
export function globalOptionsOf(command: Command): Option[] {
  const help = Object.assign(new Help(), { showGlobalOptions: true });
  return help.visibleGlobalOptions(command).filter(({ long }) => long !== '--version');
}
