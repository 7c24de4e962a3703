import type { RequestHandler } from 'express';

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
