/**
 * Bounds the number of open connections without locking anybody out. Past the bound, the server closes the connection that
 * has gone longest without a request in flight: one never used, one whose headers never end, or one kept alive for a later
 * request. If there is none, it closes one whose client sends its body slowly, or does not read its response. Clients that
 * hold connections lose them to clients that send requests. Refusing the new connection, as `maxConnections` of Node.js does,
 * would let a few idle clients lock out all others.
 */
import type { Connection, TrackedServer } from './connection-tracker.ts';
import { waitsForClient } from './waits-for-client.ts';

/**
 * Bounds the open connections of a server. If all others have a request that the server works on, the new connection is closed.
 * Each closed connection emits `drop` on the server, as Node.js' own bound does.
 */
export function boundConnections(server: TrackedServer, maxConnections: number): void {
  const { tracker } = server;
  tracker.observe({
    opened: (connection) => {
      if (tracker.open.size <= maxConnections) return;
      const [longestIdle = connection] = tracker.idle;
      // The new one is the last of the idle ones.
      const isAlone = longestIdle === connection;
      tracker.drop((isAlone && oldestWaitingForClient(tracker.open.values())) || longestIdle);
      server.emit('drop');
    },
  });
}

function oldestWaitingForClient(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) {
    const [first] = connection.inFlight;
    if (first && waitsForClient(...first)) return connection;
  }
  return undefined;
}
