import type { Request, RequestHandler, Response } from 'express';
import { type Logger, pino } from 'pino';

export function requestLog(logger: Logger): RequestHandler {
  const write = lineWriter(logger);
  return (request, response, next) => {
    if (logger.isLevelEnabled('info')) whenCompleted(request, response, write);
    next();
  };
}

/**
 * Writes the log line of a completed request in a quarter of the logger's time. It contains nothing secret and needs no
 * redaction: see {@link CompletedRequest}.
 */
function lineWriter(logger: Logger): (completed: CompletedRequest) => void {
  const parts = logger as unknown as Readonly<Record<symbol, unknown>>;
  const stream = parts[pino.symbols.streamSym] as { write(line: string): void };
  const bound = parts[pino.symbols.chindingsSym] as string;
  const level = logger.levels.values['info'];
  return (completed) => {
    const { requestId, method, operationId, status, durationMs, credentialId } = completed;
    const { aborted, overloaded, traceId, spanId } = completed;
    stream.write(
      `{"level":${level},"time":${Date.now()}${bound},"requestId":"${requestId}","method":"${method}"` +
        (operationId === undefined ? '' : `,"operationId":${JSON.stringify(operationId)}`) +
        (status === undefined ? '' : `,"status":${status}`) +
        (aborted ? ',"aborted":true' : '') +
        (overloaded ? ',"overloaded":true' : '') +
        `,"durationMs":${durationMs}` +
        (traceId === undefined ? '' : `,"traceId":"${traceId}","spanId":"${spanId}"`) +
        (credentialId === undefined ? '' : `,"credentialId":"${credentialId}"`) +
        ',"msg":"request completed"}\n',
    );
  };
}

/** What is logged and measured of a completed request. No header, body, query string or path parameter, which may be secret. */
export interface CompletedRequest {
  readonly requestId: string;
  /** The method as received. */
  readonly method: string;
  /** Undefined if the request calls no operation. */
  readonly operationId: string | undefined;
  /** Undefined if the client disconnected before the response. */
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
export function whenCompleted(
  request: Request,
  response: Response,
  onCompleted: (completed: CompletedRequest) => void,
): void {
  const { method } = request;
  const startedAt = performance.now();
  let finished = false;
  // A response also finishes when its connection is destroyed.
  response.prependListener('finish', () => (finished = response.socket?.destroyed !== true));
  response.on('close', () => {
    const { headersSent, statusCode } = response;
    // A connection that is refused in the middle of a request has a status, but no headers of this response.
    const refused = !headersSent && statusCode >= 400;
    onCompleted({
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
