import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { whenCompleted } from '../request-completion.ts';

/** Logs each request as one line. */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    whenCompleted(request, response, (completed) => {
      logger.info(completed, 'request completed');
    });
    next();
  };
}
