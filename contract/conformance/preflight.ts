import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser asks for a web page of another origin what that may send (CORS). No description of an API describes such
 * a request: it belongs to how browsers use HTTP.
 */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
