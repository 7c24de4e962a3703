/**
 * The HTTP server around the application. `refuseConnection` responds to what never becomes a request: malformed bytes,
 * header sections that are too large, slow clients, CONNECT.
 */
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { malformed, Refusal } from '../errors.ts';
import type { MessageClasses } from '../application.ts';
import { tracked, type TrackedServer } from './connection-tracker.ts';
import { serveFairly } from './fairness.ts';
import { closeAfterRequest, refuseConnection } from './refuse-connection.ts';

export type ClientLimits = typeof defaultClientLimits;

/** What a client may use up, in milliseconds and in number. */
const defaultClientLimits = {
  /** For its header section, or without sending anything at all. */
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  /** Between two requests. */
  keepAliveTimeout: 15_000,
  /** Without taking a byte of the response that is being sent. */
  timeout: 60_000,
  /** How often the first two are looked at; all that are past them then are refused in one turn of the event loop. */
  connectionsCheckingInterval: 1_000,
  /** Of all clients together. */
  maxConnections: 10_000,
};

const maxHeaderSize = 16 * 1024;

/** Creates the server of a listener, of whose classes it makes requests and responses; it does not listen yet. */
export function createServer(
  app: RequestListener & Partial<MessageClasses>,
  clientLimits: Partial<ClientLimits> = {},
): TrackedServer {
  const { timeout, maxConnections, ...limits } = { ...defaultClientLimits, ...clientLimits };
  const { IncomingMessage, ServerResponse } = app;
  const handle: RequestListener = (request, response) => {
    // Node.js has given up parsing the connection: what follows would be taken for another request.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    app(request, response);
  };
  const server = tracked(
    createHttpServer({
      ...limits,
      ...(IncomingMessage && { IncomingMessage }),
      ...(ServerResponse && { ServerResponse }),
      maxHeaderSize,
      requireHostHeader: false,
    }),
  );
  server.timeout = timeout;
  // Node.js drops headers past a number in silence; their size is bounded already.
  server.maxHeadersCount = 0;

  // A client that waits to be asked for its body is asked by the application, which ignores other expectations.
  serveFairly(server, maxConnections, handle);
  server.on('connection', (socket: Socket) => {
    closeAfterRequest(server.tracker, socket);
  });
  server.on('connect', (_request, socket) => {
    refuseConnection(server.tracker, socket, new Refusal('request.not-found'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseConnection(server.tracker, socket, refusalOf(error.code));
  });
  return server;
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('request.header.too-large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request.timed-out');
  return malformed();
}
