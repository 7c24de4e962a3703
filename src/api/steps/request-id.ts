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
