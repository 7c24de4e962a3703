import type { ServerResponse } from 'node:http';
import { endWithText, type JsonText } from '../store/json-text.ts';
import { largeBodyPace } from './large-body-pace.ts';
import { isHead } from './steps/canonical-request.ts';
import { type Headers, writeHead } from './write-head.ts';

const json = { 'Content-Type': 'application/json' } as const;

/** Sends a JSON body with its status and headers. */
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
  // Without a length, Node.js sends the body in chunks.
  const length = text.byteLength === undefined ? undefined : { 'Content-Length': text.byteLength };
  writeHead(response, status, { ...json, ...length, ...headers });
  if (isHead(response.req)) {
    text.discard();
    response.end();
    return;
  }
  const sending = text.sendTo(response, () => largeBodyPace.beforePart());
  if (sending) await sending;
  else largeBodyPace.otherSent();
}
