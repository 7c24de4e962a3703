/**
 * Ends a connection with one documented error, written without a response object because there is no request to answer.
 * It never overtakes the answers of earlier requests on the connection, and never answers a request a second time.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../errors.js';
import { securityHeaders } from './send-json.js';

/** How long the client has to read the refusal before its connection is cut. */
const lingerMilliseconds = 1000;

interface Conversation {
  last: { request: IncomingMessage; response: ServerResponse };
  readonly unanswered: Set<ServerResponse>;
}

const conversations = new WeakMap<Duplex, Conversation>();

/** Takes note of a request, so that a later refusal on its connection knows of it. */
export function noteRequest(request: IncomingMessage, response: ServerResponse): void {
  const last = { request, response };
  const conversation = conversations.get(request.socket) ?? { last, unanswered: new Set() };
  conversation.last = last;
  conversation.unanswered.add(response);
  conversations.set(request.socket, conversation);
  response.once('close', () => conversation.unanswered.delete(response));
}

/** Refuses what came over a connection after the requests noted on it, or within the last of them, and ends it. */
export function refuseConnection(socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => undefined);
  const conversation = conversations.get(socket);
  if (!conversation) {
    refuse(socket, refusal);
    return;
  }
  const { last, unanswered } = conversation;
  const withinLast = !last.request.complete;
  if (withinLast && unanswered.size === 1 && unanswered.has(last.response) && !last.response.headersSent) {
    if (socket.writable) last.response.statusCode = refusal.status;
    refuse(socket, refusal);
    return;
  }
  const earlier = [...unanswered].filter((response) => !withinLast || response !== last.response);
  const ended = earlier.map((response) => new Promise((resolve) => response.once('close', resolve)));
  void Promise.all(ended).then(() => {
    if (withinLast) socket.destroy();
    else refuse(socket, refusal);
  });
}

function refuse(socket: Duplex, { status, body }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const content = JSON.stringify(body);
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(content),
    Connection: 'close',
    'X-Request-Id': randomUUID(),
    ...securityHeaders,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${String(STATUS_CODES[status])}\r\n${lines.join('')}\r\n${content}`);
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once('close', () => {
    clearTimeout(linger);
  });
}
