/** By what a request is found again: its identifier, and the trace that it belongs to. */
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { holdsSecret } from '../../domain/secrets-in-text.ts';

const wellFormed = /^[A-Za-z0-9._~-]{1,128}$/;

/**
 * Names the request by the caller's own `X-Request-Id` if that is well formed, else by a new UUID. A secret sent there by
 * mistake would be kept in the audit log.
 */
export const requestId: RequestHandler = (request, _response, next) => {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && wellFormed.test(given) && !holdsSecret(given) ? given : randomUUID();
  next();
};

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

/** Takes the caller's `traceparent` over. One that is not well formed counts as none, as the specification asks. */
export const takeTraceContext: RequestHandler = (request, _response, next) => {
  const given = request.headers['traceparent'];
  const [, traceId, spanId, flags] = (typeof given === 'string' && traceparent.exec(given)) || [];
  if (traceId !== undefined && spanId !== undefined && flags !== undefined)
    request.trace = { traceId, spanId, traceFlags: parseInt(flags, 16) };
  next();
};
