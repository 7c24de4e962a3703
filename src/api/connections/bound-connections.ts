/**
 * Bounds the number of open connections without locking anybody out. Past the bound, the server closes one of those that have
 * gone longest without a request in flight: first one that has served a request without a valid credential, then one never
 * used or whose headers never end, then one of a client with a credential. If few are idle, they have just been opened or
 * used, and it closes one whose client sends its body slowly, does not read its response, or sends further requests before
 * it has one, or one with a request outside operations. Clients that hold connections lose them to clients that send requests. Refusing the new connection, as
 * `maxConnections` of Node.js does, would let a few idle clients lock out all others.
 */
import type { Request } from 'express';
import type { Connection, TrackedServer } from './connection-tracker.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How many idle connections are looked at, so that each new one costs little. */
const mostLookedAt = 100;

/** Of the connections: more idle ones than that are held by somebody. */
const fewIdle = 0.1;

/**
 * Bounds the open connections of a server. If all others have a request that the server works on, the new connection is closed.
 * Each closed connection emits `drop` on the server, as Node.js' own bound does.
 */
export function boundConnections(server: TrackedServer, maxConnections: number): void {
  const { tracker } = server;
  tracker.observe({
    opened: (connection) => {
      if (tracker.open.size <= maxConnections) return;
      // The new one is the last of the idle ones.
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
    if ((lookedAt += 1) === mostLookedAt) break;
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

/** Known once the request has been begun: then it has an identifier. */
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
