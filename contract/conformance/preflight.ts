import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser asks what a page of another origin may send (CORS). API descriptions do not cover such requests,
 * which are part of how browsers use HTTP.
 */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
