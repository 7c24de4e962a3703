import type { Request, Response } from 'express';

/** What is logged and measured of a completed request. No header, body, query string or path parameter, which may be secret. */
export interface CompletedRequest {
  readonly requestId: string;
  /** As it came in. */
  readonly method: string;
  /** Undefined if the request calls no operation. */
  readonly operationId: string | undefined;
  /** Undefined if the client had gone before it got a response. */
  readonly status: number | undefined;
  /** True if the client did not wait for the whole response. */
  readonly aborted: true | undefined;
  /** True if the request was refused or cut because too many others were in flight. */
  readonly overloaded: true | undefined;
  readonly durationMs: number;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly credentialId: string | undefined;
}

/** Tells once when a request is over, with a response or without. Must be called when the request has just come in. */
export function whenCompleted(request: Request, response: Response, tell: (completed: CompletedRequest) => void): void {
  const { method } = request;
  const startedAt = performance.now();
  let finished = false;
  // A response finishes when its connection is cut, too.
  response.prependListener('finish', () => (finished = response.socket?.destroyed !== true));
  response.on('close', () => {
    const { headersSent, statusCode } = response;
    // A connection that is refused in the middle of a request has a status, but no headers of this response.
    const refused = !headersSent && statusCode >= 400;
    tell({
      requestId: request.id,
      method,
      operationId: request.operation?.operationId,
      status: headersSent || refused ? statusCode : undefined,
      aborted: finished || refused ? undefined : true,
      overloaded: request.overloaded,
      durationMs: performance.now() - startedAt,
      traceId: request.trace?.traceId,
      spanId: request.trace?.spanId,
      credentialId: request.principal?.credentialId,
    });
  });
}
