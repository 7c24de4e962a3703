import { InvalidArgumentError } from 'commander';

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
