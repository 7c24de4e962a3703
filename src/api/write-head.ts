import type { ServerResponse } from 'node:http';
import type { Request } from 'express';

/** What the OWASP REST security cheat sheet asks of every response of an API: nothing is cached, framed or guessed. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Headers by their names, each spelt as wherever else it is set. */
export type Headers = Readonly<Record<string, string | number>>;

/**
 * Writes the head of a response: the headers of every response, those that the steps have set, and its own, which take
 * precedence. Node.js takes one call half as long as a call for each header.
 */
export function writeHead(response: ServerResponse, status: number, headers?: Headers): void {
  const { id, rateLimit } = response.req as Request;
  response.writeHead(status, { 'X-Request-Id': id, ...rateLimit, ...securityHeaders, ...headers });
}
