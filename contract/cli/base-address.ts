import { UsageError } from '../run/usage-error.ts';

const baseAddressForm = 'a base address such as https://api.example.com, without user name, query and fragment';

/**
 * The base address of an API without a slash at its end. It is not repeated in a message, because it may hold a password.
 * @throws {UsageError} if the text of the option is none
 */
export function baseUrlOf(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new UsageError(`${option} must be ${baseAddressForm}`);
  return url.href.replace(/\/+$/, '');
}
