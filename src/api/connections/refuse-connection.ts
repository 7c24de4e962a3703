/**
 * Ends connections so that their clients can read the last response. Without a request there is no response object, so
 * a refusal is written to the socket. It never overtakes earlier responses, and no request gets two.
 */
import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import type { Refusal } from '../errors.ts';
import type { ConnectionTracker } from './connection-tracker.ts';
import { securityHeaders } from '../send-response.ts';

/** How long the client has to read its last response before the connection is cut. */
const lingerMilliseconds = 1000;

/**
 * Lets a client read a response that is sent before the end of its request. Node.js would close the connection at once,
 * and data that arrives on a closed connection makes the operating system discard the response (RFC 9112, section 9.6).
 */
export function closeAfterRequest(tracker: ConnectionTracker, socket: Socket): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const [request] = tracker.open.get(socket)?.last ?? [];
    if (!request || request.complete) {
      destroySoon();
      return;
    }
    socket.end();
    request.once('end', destroySoon);
    cutLater(socket);
  };
}

/** Refuses what came over a connection after its last request, or within that, and ends the connection. */
export function refuseConnection(tracker: ConnectionTracker, socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => undefined);
  const { last, inFlight = [] } = tracker.open.get(socket) ?? {};
  if (!last) {
    refuse(socket, refusal);
    return;
  }
  const [request, response] = last;
  const withinLast = !request.complete;
  if (withinLast && inFlight.length === 1 && inFlight[0] === last && !response.headersSent) {
    if (socket.writable) response.statusCode = refusal.status;
    refuse(socket, refusal, response);
    return;
  }
  const earlier = inFlight.filter((exchange) => !withinLast || exchange !== last);
  const ended = earlier.map(([, each]) => new Promise((resolve) => each.once('close', resolve)));
  void Promise.all(ended).then(() => {
    if (withinLast) socket.destroy();
    else refuse(socket, refusal);
  });
}

function refuse(socket: Duplex, { status, body }: Refusal, begun?: ServerResponse): void {
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
    'X-Request-Id': (begun?.req as Request | undefined)?.id ?? randomUUID(),
    ...crossOriginHeaders(begun),
    ...securityHeaders,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${String(STATUS_CODES[status])}\r\n${lines.join('')}\r\n${content}`);
  socket.resume();
  cutLater(socket);
}

function cutLater(socket: Duplex): void {
  const linger = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once('close', () => {
    clearTimeout(linger);
  });
}

/** Those of the headers set so far that let a web page read the response. */
function crossOriginHeaders(begun: ServerResponse | undefined): Record<string, string> {
  const set = Object.entries(begun?.getHeaders() ?? {}).filter(([name]) => /^(vary$|access-control-)/.test(name));
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}
