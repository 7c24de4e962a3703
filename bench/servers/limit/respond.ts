/** The responses of the limit: one call for the head, from a flat list, and a log line that is concatenated by hand. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { securityHeaders } from '../../../src/api/send-response.ts';
import { logFile } from '../support/log.ts';
import { rateLimitWindowMilliseconds, unreachableLimit } from '../support/environment.ts';

/** A request in flight. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  readonly requestId: string;
  operationId?: string;
  credentialId?: string;
}

const fixed = ['Content-Type', 'application/json', ...Object.entries(securityHeaders).flat()];
const wellFormed = /^[A-Za-z0-9._~-]{1,128}$/;

export function callOf(request: IncomingMessage, response: ServerResponse): Call {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
  return { request, response, startedAt: performance.now(), requestId };
}

/** Counts the request and sends the response, or a 429. */
export function respond(call: Call, status: number, body: string | Buffer, headers: readonly string[] = []): void {
  const { request, response, requestId, credentialId } = call;
  const limited =
    credentialId === undefined
      ? count('failed-authentication', String(request.socket.remoteAddress))
      : count('credential', credentialId);
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  response.writeHead(status, [
    ...fixed,
    'Content-Length',
    String(length),
    'X-Request-Id',
    requestId,
    ...limited,
    ...headers,
  ]);
  // A string is sent together with the head, and an ASCII string need not be encoded.
  if (typeof body === 'string') response.end(body, body.length === length ? 'latin1' : 'utf8');
  else response.end(body);
  logFile.write(
    `{"level":30,"time":${Date.now()},"requestId":"${requestId}","method":"${request.method}",` +
      `"operationId":"${call.operationId}","status":${status},"durationMs":${performance.now() - call.startedAt}` +
      `${credentialId === undefined ? '' : `,"credentialId":"${credentialId}"`},"msg":"request completed"}\n`,
  );
}

const windows = new Map<string, { used: number; readonly endsAt: number }>();
const seconds = rateLimitWindowMilliseconds / 1000;

function count(name: 'credential' | 'failed-authentication', key: string): string[] {
  const now = Date.now();
  let window = windows.get(key);
  if (!window || window.endsAt <= now) {
    window = { used: 0, endsAt: now + rateLimitWindowMilliseconds };
    windows.set(key, window);
  }
  window.used += 1;
  const resetSeconds = Math.ceil((window.endsAt - now) / 1000);
  return [
    'RateLimit-Policy',
    `"${name}";q=${unreachableLimit};w=${seconds}`,
    'RateLimit',
    `"${name}";r=${unreachableLimit - window.used};t=${resetSeconds}`,
  ];
}
