/**
 * CORS for web pages of other origins. The step responds to preflight requests before authentication and the rate
 * limit, because browsers send them without a credential. Cookies are never allowed: credentials are headers, which a
 * page sets itself.
 */
import cors, { type CorsOptions } from 'cors';
import type { Request, RequestHandler } from 'express';
import type { MatchedOperation } from '../api-description.ts';
import { securityHeaders } from '../send-response.ts';

/** How long browsers cache the response to a preflight request. */
const preflightSeconds = 600;

/** Browsers expose these headers of every response without permission. */
const alwaysReadable: readonly string[] = ['cache-control', 'content-length', 'content-type', 'last-modified'];

/** Allows pages of exactly these origins, as browsers write them in `Origin`, to call the operations. */
export function allowOrigins(origins: readonly string[], operations: Iterable<MatchedOperation>): RequestHandler {
  const all = [...operations];
  const options: CorsOptions = {
    origin: [...origins],
    methods: [...new Set(['HEAD', ...all.map(({ method }) => method.toUpperCase())])].sort(),
    exposedHeaders: [...new Set(all.flatMap(({ responseHeaders }) => responseHeaders))].filter(
      (name) => !alwaysReadable.includes(name.toLowerCase()),
    ),
    maxAge: preflightSeconds,
    // With 204, the package would send a Content-Length, which RFC 9110 forbids there.
    optionsSuccessStatus: 200,
  };
  const handlePreflight = cors(options);
  const addHeaders = cors({ ...options, preflightContinue: true });
  const isPreflight = ({ method, headers }: Request) =>
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    origins.includes(headers.origin ?? '');
  return (request, response, next) => {
    response.setHeader('X-Request-Id', request.id);
    if (isPreflight(request)) {
      response.setHeaders(new Map(Object.entries(securityHeaders)));
      handlePreflight(request, response, next);
    } else addHeaders(request, response, next);
  };
}
