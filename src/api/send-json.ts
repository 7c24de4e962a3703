import type { ServerResponse } from 'node:http';
import type { JsonText } from '../store/json-text.ts';
import { isHead } from './steps/canonical-request.ts';

/** What the OWASP REST security cheat sheet asks of every response of an API: nothing is cached, framed or guessed. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

type Headers = Readonly<Record<string, string | number>>;

/** Sends a JSON body with its status and headers, beside those set on the response already. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers?: Headers): void {
  const content = JSON.stringify(body);
  writeHead(response, status, Buffer.byteLength(content), headers);
  response.end(content);
}

/** Sends a JSON body whose text there is already. @throws {Error} if it cannot be read; the response is cut off then */
export async function sendJsonText(
  response: ServerResponse,
  status: number,
  text: JsonText<unknown>,
  headers?: Headers,
): Promise<void> {
  writeHead(response, status, text.byteLength, headers);
  if (isHead(response.req)) {
    text.discard();
    response.end();
  } else await text.sendTo(response);
}

function writeHead(response: ServerResponse, status: number, byteLength: number, headers?: Headers): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': byteLength,
    ...securityHeaders,
    ...headers,
  });
}
