/** What each request passes first: it gets its canonical form, and that by which it is found again. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { holdsSecret } from '../../domain/secrets-in-text.ts';
import { malformed } from '../errors.ts';

const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const host = /^(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]*)(:\d*)?$/i;

const withoutBody = new WeakSet<IncomingMessage>();

/**
 * Converts a request to its canonical form before Express sees it: an absolute-form target becomes a path (RFC 9112,
 * section 3.2.2), a fragment is removed, a `%` that escapes nothing is literal, and HEAD becomes GET.
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

export const requireValidHttp: RequestHandler = (request, _response, next) => {
  next(isValidHttp(request) ? undefined : malformed());
};

/**
 * False for what HTTP/1 forbids and Node.js accepts: other versions, a missing, repeated or invalid `Host`, and chunks in
 * HTTP/1.0 (RFC 9112, section 6.1).
 */
export function isValidHttp(request: IncomingMessage): boolean {
  const { httpVersion } = request;
  const hosts = headerValues(request, 'host');
  if (hosts.length > 1 || !hosts.every((value) => host.test(value))) return false;
  if (httpVersion === '1.0') return headerValues(request, 'transfer-encoding').length === 0;
  return httpVersion === '1.1' && hosts.length === 1;
}

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
 * The values of a header, one for each line; `name` is in lower case. Node.js joins or drops repeated lines, and
 * `headersDistinct` processes all headers.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

const wellFormed = /^[A-Za-z0-9._~-]{1,128}$/;

export const requestId: RequestHandler = (request, _response, next) => {
  request.id = requestIdOf(request);
  next();
};

/**
 * The caller's `X-Request-Id` if it is well formed, else a new UUID. A secret sent there by mistake would be stored in
 * the audit log.
 */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) && !holdsSecret(given) ? given : randomUUID();
}

/** A place in a trace (W3C Trace Context, section 3.2). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits: the caller's span, or, when traces are sent, the span of this request. */
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A version later than 00 may have more parts; version ff and identifiers of zeros alone are none. */
const traceparent =
  /^(?!ff)(?!00.{53}.)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export const takeTraceContext: RequestHandler = (request, _response, next) => {
  request.trace = traceContextOf(request);
  next();
};

/** The caller's `traceparent`. One that is not well formed counts as none, as the specification asks. */
export function traceContextOf({ headers }: IncomingMessage): TraceContext | undefined {
  const given = headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof given === 'string' && traceparent.exec(given)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags, 16) };
}
