import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerResponse } from 'node:http';
import { endWithText, JsonText } from '../store/case-texts/json-text.ts';
import { covering, type Headers, isJson, isRange, type MatchedOperation } from './api-description.ts';
import type { AnyOperationResponse } from './operation.ts';
import { isHead } from './steps/arrival.ts';
import type { Request } from 'express';

const json = { 'Content-Type': 'application/json' } as const;

/**
 * Sends what an operation responds with, in the media type that the document gives for its status.
 * @throws {Error} if the document has no such response, or the body cannot be read; the response is cut off then
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers: given, body }: AnyOperationResponse,
  { operationId, responseMediaTypes }: MatchedOperation,
): Promise<void> | undefined {
  const documented = responseMediaTypes[status];
  if (!documented) throw new Error(`The operation ${operationId} documents no response ${status}.`);
  const headers = given && headersOf(given);
  if (documented.length === 0) {
    sendEmpty(response, status, headers);
    return undefined;
  }
  const mediaType = mediaTypeOf(documented, headers);
  if (mediaType === undefined)
    throw new Error(`The operation ${operationId} names no documented media type for its response ${status}.`);
  if (body instanceof JsonText) return sendJsonText(response, status, body, headers);
  const typed = { 'Content-Type': mediaType, ...headers };
  const isText = isJson(mediaType);
  if (body instanceof Readable && !isText) return sendStream(response, status, body, typed);
  if (isText) sendJson(response, status, body, typed);
  else sendContent(response, status, body, typed);
  return undefined;
}

/** The documented media type, or the one that the operation chose of those. */
function mediaTypeOf(documented: readonly string[], headers: Headers | undefined): string | undefined {
  const chosen = headers?.['Content-Type'];
  if (typeof chosen === 'string') {
    const [type = ''] = chosen.toLowerCase().split(/ *;/, 1);
    return documented.includes(chosen) || covering(documented, type) !== undefined ? chosen : undefined;
  }
  const [only, ...others] = documented;
  return only !== undefined && others.length === 0 && !isRange(only) ? only : undefined;
}

function headersOf(given: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const stated = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    stated.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

function sendEmpty(response: ServerResponse, status: number, headers: Headers | undefined): void {
  const length = status === 204 || status === 304 ? undefined : { 'Content-Length': 0 };
  writeHead(response, status, { ...length, ...headers });
  response.end();
}

function sendContent(response: ServerResponse, status: number, body: unknown, headers: Headers): void {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new Error(`A body of ${String(headers['Content-Type'])} is a text, bytes or a stream.`);
  writeHead(response, status, { 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

async function sendStream(response: ServerResponse, status: number, body: Readable, headers: Headers): Promise<void> {
  if (isHead(response.req)) {
    body.destroy();
    writeHead(response, status, headers);
    response.end();
    return;
  }
  const client = { hasGone: false };
  response.once('close', () => {
    client.hasGone = !body.destroyed;
    body.destroy();
  });
  try {
    const chunks = body[Symbol.asyncIterator]();
    // A stream that cannot be opened gets a whole response: the head is sent with the first of its content.
    const first = await chunks.next();
    writeHead(response, status, headers);
    await pipeline(async function* () {
      for (let next = first; next.done !== true; next = await chunks.next()) yield next.value as Uint8Array;
    }, response);
  } catch (error) {
    if (!client.hasGone) throw error;
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers?: Headers): void {
  const content = JSON.stringify(body);
  const byteLength = Buffer.byteLength(content);
  writeHead(response, status, { ...json, 'Content-Length': byteLength, ...headers });
  endWithText(response, content, byteLength);
  largeBodyPace.otherSent();
}

/** Sends a JSON body whose text there is already. @throws {Error} if it cannot be read; the response is cut off then */
export async function sendJsonText(
  response: ServerResponse,
  status: number,
  text: JsonText<unknown>,
  headers?: Headers,
): Promise<void> {
  writeHead(response, status, { ...json, 'Content-Length': text.byteLength, ...headers });
  if (isHead(response.req)) {
    text.discard();
    response.end();
    return;
  }
  const sending = text.sendTo(response, () => largeBodyPace.beforePart());
  if (sending) await sending;
  else largeBodyPace.otherSent();
}

/** What the OWASP REST security cheat sheet asks of every response of an API: nothing is cached, framed or guessed. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

const alwaysSent = Object.entries(securityHeaders);

/**
 * Writes the head of a response: the headers of every response, those that the steps have set, and its own, which take
 * precedence. One call takes half as long as a call for each header, and an array less than an object.
 */
export function writeHead(response: ServerResponse, status: number, headers: Headers = {}): void {
  const { id, rateLimit } = response.req as Request;
  const fields: (string | number)[] = ['X-Request-Id', id];
  for (const name in rateLimit) fields.push(name, rateLimit[name] as string | number);
  for (const [name, value] of alwaysSent) if (!(name in headers)) fields.push(name, value);
  for (const name in headers) fields.push(name, headers[name] as string | number);
  response.writeHead(status, fields);
}

/**
 * Large bodies yield to other responses. Otherwise clients that download them at full speed would take all processor
 * time. While other responses are sent, large bodies together get about a gigabit per second.
 */

/** The pause after each part of at most 128 KiB. */
const pauseMilliseconds = 1;
/** Large bodies are paced until this long after the last other response. */
const othersMilliseconds = 100;

export class LargeBodyPace {
  #lastOther = -Infinity;
  #pause: Promise<void> | undefined;

  /** To be called when a body that is not large has been sent. */
  otherSent(): void {
    this.#lastOther = performance.now();
  }

  /** To be awaited before a part of a large body is sent. Those who wait are let go in the order in which they came. */
  async beforePart(): Promise<void> {
    if (performance.now() - this.#lastOther > othersMilliseconds) return;
    while (this.#pause) await this.#pause;
    this.#pause = new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined;
        resolve();
      }, pauseMilliseconds);
    });
  }
}

/** One per process, because it shares out processor time. */
const largeBodyPace = new LargeBodyPace();
