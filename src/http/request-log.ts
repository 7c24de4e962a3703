import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** Logs each answer as one line that holds no header, body, query string or path parameter: nothing that may be secret. */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const { method } = request;
    const startedAt = process.hrtime.bigint();
    response.once('close', () => {
      logger.info(
        {
          requestId: request.id,
          method,
          operationId: request.operation?.operationId,
          status: response.statusCode,
          aborted: response.writableFinished ? undefined : true,
          durationMs: Number(process.hrtime.bigint() - startedAt) / 1e6,
          credentialId: request.principal?.credentialId,
        },
        'answered',
      );
    });
    next();
  };
}
