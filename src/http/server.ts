/**
 * The HTTP server around the application. What never becomes a request (bytes that are no HTTP, a header section that is
 * too large, a client that is too slow, CONNECT) is answered here with the same error object.
 */
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.js';
import { securityHeaders } from './send-json.js';

/** How long a client may take for its header section and for its whole request, and be silent between requests. */
const timeouts = { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 15_000 };

const connectionsCheckingInterval = 5_000;
const maxHeaderSize = 16 * 1024;

/** Creates the server; it does not listen yet. */
export function createServer(app: RequestListener): Server {
  const server = createHttpServer({
    ...timeouts,
    connectionsCheckingInterval,
    maxHeaderSize,
    requireHostHeader: false,
  });
  server.on('request', app);
  // The application asks for the body itself, once it is sure to read it, and ignores other expectations.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);
  server.on('connect', (_request, socket) => {
    refuse(socket, new Refusal('request.not-found'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) socket.destroy();
    else refuse(socket, refusalOf(error.code));
  });
  return server;
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('request.header.too-large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request.timed-out');
  return new Refusal('request.malformed');
}

function refuse(socket: Duplex, { status, body }: Refusal): void {
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
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${content}`);
}

/** Node.js keeps the response under way on its socket, and decides by it in its own handler of this event too. */
function hasBegunToAnswer(socket: Duplex): boolean {
  return (socket as Duplex & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent ?? false;
}
