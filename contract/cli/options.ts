import { InvalidArgumentError } from 'commander';
import { UsageError } from '../run/errors.ts';

/** Parses a whole number within bounds. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Parses a number of seconds, at most a day. */
export function duration(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 86400.');
  return value;
}

/** Parses an option that may be repeated, each time with comma-separated values. */
export function listed(text: string, before: readonly string[] = []): string[] {
  const values = text.split(',').map((value) => value.trim());
  if (values.includes('')) throw new InvalidArgumentError('It must be one pattern, or several between commas.');
  return [...before, ...values];
}

/**
 * Collects a repeatable option. Does not validate its value, which may be secret and would appear in the parser's
 * message.
 */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

const baseAddressForm = 'a base address such as https://api.example.com, without user name, query and fragment';

/**
 * The base address of an API, without a trailing slash. Messages do not repeat it, because it may contain a password.
 * @throws {UsageError} if the option's value is not a base address
 */
export function baseUrlOf(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new UsageError(`${option} must be ${baseAddressForm}`);
  return url.href.replace(/\/+$/, '');
}

export const port = wholeNumber(0, 65_535);

/**
 * The port to listen on: that of the option, else of the environment, else the default.
 * @throws {UsageError} if the environment variable is not a port
 */
export function portOf(option: { readonly port?: number }, { PORT }: NodeJS.ProcessEnv, otherwise: number): number {
  if (option.port !== undefined || !PORT) return option.port ?? otherwise;
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535)
    throw new UsageError(`PORT must be a whole number from 0 to 65535, not "${PORT}"`);
  return Number(PORT);
}
