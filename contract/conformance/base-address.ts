/** What a base address must be, in words. */
export const baseAddressForm = 'a base address such as https://api.example.com, without user name, query and fragment';

/** The base address of an API without a slash at its end; undefined if the text is none. */
export function parseBaseAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) return undefined;
  return url.href.replace(/\/+$/, '');
}
