import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { UnavailableError } from '../../domain/errors.ts';
import { FilesUnavailableError } from '../../files/file-access.ts';
import { Refusal, unavailable } from '../errors.ts';
import { sendJson } from '../send-response.ts';

/** A page asks for many thumbnails. While files are unavailable, the log says so once in this time. */
const quietMilliseconds = 60_000;

/** Turns any error into a documented one. The detail of an unexpected error goes to the log alone. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  let quietUntil = -Infinity;
  return (error: unknown, request, response, _next) => {
    // A refusal within a transaction is the cause of an error.
    const refused = error instanceof Error ? error.cause : error;
    const refusal = refused instanceof Refusal ? refused : unexpected(error, request.id);
    // The connection was refused in the middle of this request.
    if (response.socket?.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendJson(response, refusal.status, refusal.body, refusal.headers);
  };

  function unexpected(error: unknown, requestId: string): Refusal {
    if (!(error instanceof UnavailableError)) {
      logger.error({ requestId, err: error }, 'unexpected error');
      return new Refusal('service.internal-error');
    }
    if (error instanceof FilesUnavailableError) logFilesUnavailable({ requestId, err: error });
    else if (!error.isLogged) logger.error({ requestId, err: error }, 'the store is unavailable');
    return unavailable();
  }

  function logFilesUnavailable(what: object): void {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + quietMilliseconds;
    logger.error(what, 'the files are unavailable');
  }
}
