import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { RightsLostError } from './authorise.ts';
import { Refusal, unavailable } from '../errors.ts';
import { FilesUnavailableError } from '../../files/file-access.ts';
import { IdentityProviderUnavailableError } from '../../identity-provider/token-bearer.ts';
import { RateLimitsUnavailableError } from '../../rate-limits/rate-limit-store.ts';
import { NotImplementedError } from '../operation.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { sendJson } from '../send-response.ts';

const periodMilliseconds = 60_000;

/** Decides which of many equal lines of a log are written: the first, and then one a minute. */
class RepeatedLine {
  #nextAt = -Infinity;
  #omitted = 0;

  /** What a line that is written adds about those that were not; undefined if this one is not written either. */
  next(): { omitted?: number } | undefined {
    const now = performance.now();
    if (now < this.#nextAt) {
      this.#omitted += 1;
      return undefined;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    this.#nextAt = now + periodMilliseconds;
    return omitted === 0 ? {} : { omitted };
  }
}

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
