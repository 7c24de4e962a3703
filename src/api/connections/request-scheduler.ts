/**
 * Decides the order in which requests are handled, so that no client holds up the others.
 *
 * Each turn of the event loop handles a bounded number of requests. Node.js (libuv since 1.45) accepts one connection per
 * turn, so a busy server that handled every pending request in a turn would hardly accept new connections. While
 * connections are arriving, a turn handles one request, and a few turns only accept: otherwise connections that send
 * nothing would delay all other requests. Once the limit of open connections is reached, requests come first: each
 * further connection would close one, perhaps one whose request has not been handled. The requests of a turn start
 * together, so that the store can read for all of them at once.
 *
 * Each connection has one request handled at a time. Otherwise a client that pipelines requests without reading the
 * responses could fill memory with them and use up the places that the overload protection counts.
 */
import type { RequestListener } from 'node:http';
import type { ConnectionTracker, Exchange } from './connection-tracker.ts';

/** How many requests of a connection may be in flight; past it, the connection is cut. */
const mostOfConnection = 101;

/** How many requests are handled in a turn without a new connection. */
const mostInTurn = 64;

/** How many connections are accepted at most before one request is handled. */
const mostAccepted = 4;

/** Passes each request to a listener in its turn, unless its connection has closed. */
export function scheduleRequests(tracker: ConnectionTracker, maxConnections: number, listener: RequestListener): void {
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
    const onlyAccept = isConnecting && accepted - acceptedAtLastBatch < mostAccepted;
    acceptedBefore = accepted;
    if (!onlyAccept) acceptedAtLastBatch = accepted;
    const room = isConnecting ? Number(!onlyAccept) : mostInTurn;
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
      else if (inFlight.length > mostOfConnection) socket.destroy();
    },
    ends: ({ socket, inFlight: [next] }) => {
      if (next && !socket.destroyed) enqueue(next);
    },
  });
}
