import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { whenAnswered } from '../answered.ts';

/** Logs each answer as one line. */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    whenAnswered(request, response, (answered) => {
      logger.info(answered, 'answered');
    });
    next();
  };
}
