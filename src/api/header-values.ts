import type { IncomingMessage } from 'node:http';

/**
 * The values of a header in a request, one for each line that it was sent in; `name` is in lower case. Node.js joins or drops
 * repeated lines, and sorts all headers to tell those of one.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] as string);
  }
  return values;
}
