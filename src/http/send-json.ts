import type { ServerResponse } from 'node:http';

/** What the OWASP REST security cheat sheet asks of every answer of an API: nothing is cached, framed or guessed. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Sends a JSON body with its status and headers, beside those set on the response already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const content = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': content.length,
    ...securityHeaders,
    ...headers,
  });
  response.end(content);
}
