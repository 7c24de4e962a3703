import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { malformed } from '../errors.ts';

const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const host = /^(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]*)(:\d*)?$/i;

const withoutBody = new WeakSet<IncomingMessage>();

/**
 * Brings the many spellings of one request into the one that all else knows, before Express looks at it: an absolute-form
 * target becomes a path (RFC 9112, section 3.2.2), a fragment is cut off, a `%` that escapes nothing is taken literally,
 * and HEAD becomes GET (Node.js leaves out the body).
 */
export function canonicaliseRequest(request: IncomingMessage): void {
  if (request.method === 'HEAD') {
    withoutBody.add(request);
    request.method = 'GET';
  }
  request.url = canonicalTarget(request.url);
}

/** Whether a request was a HEAD, so that its response is to have no body. */
export function isHead(request: IncomingMessage): boolean {
  return withoutBody.has(request);
}

/**
 * Refuses what HTTP/1 forbids and Node.js lets through: another version, a `Host` that is absent, doubled or none, and
 * chunks of HTTP/1.0 (RFC 9112, section 6.1).
 */
export const requireValidHttp: RequestHandler = (request, _response, next) => {
  const { httpVersion } = request;
  const hosts = headerValues(request, 'host');
  const validHosts = hosts.length <= 1 && hosts.every((value) => host.test(value));
  const isWhole =
    httpVersion === '1.0'
      ? headerValues(request, 'transfer-encoding').length === 0
      : httpVersion === '1.1' && hosts.length === 1;
  next(validHosts && isWhole ? undefined : malformed());
};

/** The path and query of a request's target, which may begin with an authority. */
function originForm(target: string): string {
  const path = target.replace(authority, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const canonical = /^\/[^#%]*$/;

function canonicalTarget(target = ''): string {
  if (canonical.test(target)) return target;
  return originForm(target)
    .replace(/#.*/s, '')
    .replace(/^[^?]*/, decodable);
}

function decodable(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll('%', '%25');
  }
}

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
