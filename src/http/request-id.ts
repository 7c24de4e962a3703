import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const wellFormed = /^[A-Za-z0-9._~-]{1,128}$/;

/** Names the request by the caller's own `X-Request-Id` if that is well formed, else by a new UUID. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.id);
  next();
};
