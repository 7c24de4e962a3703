import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerResponse } from 'node:http';
import { JsonText } from '../store/json-text.ts';
import type { MatchedOperation } from './api-description.ts';
import { covering, isJson, isRange } from './media-types.ts';
import type { AnyOperationResponse } from './operation.ts';
import { sendJson, sendJsonText } from './send-json.ts';
import { isHead } from './steps/canonical-request.ts';
import { writeHead } from './write-head.ts';

type Headers = Record<string, string | number>;

/**
 * Sends what an operation responds with, in the media type that the document gives for its status.
 * @throws {Error} if the document has no such response, or the body cannot be read; the response is cut off then
 */
export function sendResponse(
  response: ServerResponse,
  { status, headers: given, body }: AnyOperationResponse,
  { operationId, responseMediaTypes }: MatchedOperation,
): Promise<void> | undefined {
  const documented = responseMediaTypes.get(status);
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
  if (isJson(mediaType)) {
    sendJson(response, status, body, { 'Content-Type': mediaType, ...headers });
    return undefined;
  }
  return sendContent(response, status, body, { 'Content-Type': mediaType, ...headers });
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

function headersOf(given: Readonly<Record<string, unknown>>): Headers {
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

function sendContent(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers,
): Promise<void> | undefined {
  if (body instanceof Readable) return sendStream(response, status, body, headers);
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new Error(`A body of ${String(headers['Content-Type'])} is a text, bytes or a stream.`);
  const length = { 'Content-Length': Buffer.byteLength(body) };
  writeHead(response, status, { ...length, ...headers });
  response.end(body);
  return undefined;
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
