/** How the clients of a server share it: none of them holds up the requests of the others, or locks them out. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Connection, ConnectionTracker, Exchange, TrackedServer } from './connection-tracker.ts';

/** Bounds the connections of a server, and passes each request to a listener in its turn. */
export function serveFairly(server: TrackedServer, maxConnections: number, listener: RequestListener): void {
  boundConnections(server, maxConnections);
  scheduleRequests(server.tracker, maxConnections, listener);
}

/** How many requests of a connection may be in flight; past it, the connection is cut. */
const maxPerConnection = 101;

/** How many requests are handled in a turn without a new connection. */
const maxPerTurn = 64;

/** How many connections are accepted at most before one request is handled. */
const maxAccepted = 4;

/**
 * Decides the order in which requests are handled. Requests whose connection has closed are skipped.
 *
 * Each turn of the event loop handles a bounded number of requests. Node.js (libuv since 1.45) accepts one connection
 * per turn, so a busy server that handled every pending request in a turn would hardly accept new connections. While
 * connections arrive, a turn handles one request, and a few turns only accept; otherwise connections that send nothing
 * would delay all requests. At the limit of open connections, requests come first: each further connection would close
 * one, perhaps with an unhandled request. The requests of a turn start together, so that the store can read for all of
 * them at once.
 *
 * Each connection has one request handled at a time. Otherwise a client that pipelines requests without reading the
 * responses could fill the memory and exhaust the slots of the overload protection.
 */
function scheduleRequests(tracker: ConnectionTracker, maxConnections: number, listener: RequestListener): void {
  const waiting: Exchange[] = [];
  let acceptedBefore = 0;
  let acceptedAtLastBatch = 0;
  let isScheduled = false;

  const scheduleBatch = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(handleBatch);
  };
  const handleBatch = (): void => {
    isScheduled = false;
    const { accepted, open } = tracker;
    const isConnecting = accepted > acceptedBefore && open.size < maxConnections;
    const onlyAccept = isConnecting && accepted - acceptedAtLastBatch < maxAccepted;
    acceptedBefore = accepted;
    if (!onlyAccept) acceptedAtLastBatch = accepted;
    const room = isConnecting ? Number(!onlyAccept) : maxPerTurn;
    for (const exchange of waiting.splice(0, room)) if (!exchange[0].socket.destroyed) listener(...exchange);
    if (waiting.length > 0) scheduleBatch();
  };
  const enqueue = (exchange: Exchange): void => {
    waiting.push(exchange);
    scheduleBatch();
  };

  tracker.observe({
    opened: scheduleBatch,
    begins: (exchange, { inFlight, socket }) => {
      if (inFlight.length === 1) enqueue(exchange);
      else if (inFlight.length > maxPerConnection) socket.destroy();
    },
    ends: ({ socket, inFlight: [next] }) => {
      if (next && !socket.destroyed) enqueue(next);
    },
  });
}

/** How many idle connections are looked at, so that each new one costs little. */
const maxLookedAt = 100;

/** A share of the connections. Up to this share of idle ones counts as few. */
const fewIdle = 0.1;

/**
 * Bounds the number of open connections. `maxConnections` of Node.js refuses new connections, so that a few idle
 * clients could lock out all others. Here a new connection replaces one that has been idle for long: first one that was
 * used without a valid credential, then one that was never used or whose headers do not end, then one of a client with
 * a credential. If few connections are idle, it replaces one whose client sends its body slowly, does not read its
 * response or pipelines requests, or one with a request outside operations. If the server is working for all others,
 * the new connection is closed. Each closed connection emits `drop` on the server, as in Node.js.
 */
function boundConnections(server: TrackedServer, maxConnections: number): void {
  const { tracker } = server;
  tracker.observe({
    opened: (connection) => {
      if (tracker.open.size <= maxConnections) return;
      // The new connection is the last of the idle ones.
      const areFew = tracker.idle.size <= Math.max(1, fewIdle * maxConnections);
      const held = areFew ? oldestHeld(tracker.open.values()) : undefined;
      tracker.drop(held ?? longestIdleOf(tracker.idle) ?? connection);
      server.emit('drop');
    },
  });
}

/** Of those idle for longest, the first that a stranger has used, else the first unused one, else the first. */
function longestIdleOf(idle: Iterable<Connection>): Connection | undefined {
  let first: Connection | undefined;
  let unused: Connection | undefined;
  let lookedAt = 0;
  for (const connection of idle) {
    first ??= connection;
    if (!connection.last) unused ??= connection;
    else if (!(connection.last[0] as Request).principal) return connection;
    if ((lookedAt += 1) === maxLookedAt) break;
  }
  return unused ?? first;
}

function oldestHeld(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) {
    const [first, next] = connection.inFlight;
    if (first && (next || waitsForClient(...first) || isOutsideOperations(first[0] as Request))) return connection;
  }
  return undefined;
}

/** False until the request has been handled, when it has an identifier. */
function isOutsideOperations({ id, operation }: Partial<Pick<Request, 'id' | 'operation'>>): boolean {
  return id !== undefined && !operation;
}

/** Whether a request in flight waits for its client alone: to send the rest of it, or to read the response. */
export function waitsForClient(
  { complete }: Pick<IncomingMessage, 'complete'>,
  { headersSent, writableLength }: Pick<ServerResponse, 'headersSent' | 'writableLength'>,
): boolean {
  return !complete || (headersSent && writableLength > 0);
}
