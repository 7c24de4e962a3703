import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { RightsLostError } from '../authorisation.ts';
import { Refusal, unavailable } from '../errors.ts';
import { FilesUnavailableError } from '../../files/file-access.ts';
import { IdentityProviderUnavailableError } from '../../identity-provider/errors.ts';
import { RateLimitsUnavailableError } from '../../rate-limits/errors.ts';
import { NotImplementedError } from '../operation.ts';
import { RepeatedLine } from '../repeated-line.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { sendJson } from '../send-json.ts';

/** Turns any error into a documented one. The detail of an unexpected error goes to the log alone. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  const filesUnavailable = new RepeatedLine();
  return (error: unknown, request, response, _next) => {
    const refusal = error instanceof Refusal ? error : unexpected(error, request.id);
    // The connection was refused in the middle of this request.
    if (response.socket?.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendJson(response, refusal.status, refusal.body, refusal.headers);
  };

  function unexpected(error: unknown, requestId: string): Refusal {
    if (error instanceof RightsLostError) return error.refusal;
    if (error instanceof StoreUnavailableError) {
      logger.error({ requestId, err: error }, 'the store is unavailable');
      return unavailable();
    }
    if (error instanceof FilesUnavailableError) {
      // A page asks for many thumbnails, and the line of each request has its status.
      const line = filesUnavailable.next();
      if (line) logger.error({ requestId, err: error, ...line }, 'the files are unavailable');
      return unavailable();
    }
    // These have been logged when they began.
    if (error instanceof IdentityProviderUnavailableError || error instanceof RateLimitsUnavailableError)
      return unavailable();
    if (error instanceof NotImplementedError)
      logger.error({ requestId, operationId: error.operationId }, 'not implemented');
    else logger.error({ requestId, err: error }, 'unexpected error');
    return new Refusal('service.internal-error');
  }
}
