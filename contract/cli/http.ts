import type { ServerResponse } from 'node:http';

const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

/** The path and query of a request target in absolute form or origin form. */
export function originForm(target = ''): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Sends a complete response; without content it has no body. */
export function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content?: { mediaType: string; body: string | Uint8Array },
): void {
  response.writeHead(status, {
    ...(content && { 'Content-Type': content.mediaType, 'Content-Length': Buffer.byteLength(content.body) }),
    ...(!content && status !== 204 && status !== 304 && { 'Content-Length': 0 }),
    ...securityHeaders,
    ...headers,
  });
  response.end(content?.body);
}
