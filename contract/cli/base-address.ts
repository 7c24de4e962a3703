import { UsageError } from '../run/usage-error.ts';

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
