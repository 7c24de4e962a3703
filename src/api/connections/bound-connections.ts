/**
 * Bounds the number of open connections without locking anybody out. Past the bound, the server closes the connection that
 * has gone longest without a request in flight: one never used, one whose headers never end, or one kept alive for a later
 * request. Clients that hold idle connections lose them to clients that send requests. Refusing the new connection, as
 * `maxConnections` of Node.js does, would let a few idle clients lock out all others.
 */
import type { TrackedServer } from './connection-tracker.ts';

/**
 * Bounds the open connections of a server. If all others have a request in flight, the new connection is closed.
 * Each closed connection emits `drop` on the server, as Node.js' own bound does.
 */
export function boundConnections(server: TrackedServer, maxConnections: number): void {
  const { tracker } = server;
  tracker.observe({
    opened: (connection) => {
      if (tracker.open.size <= maxConnections) return;
      const [longestIdle = connection] = tracker.idle;
      tracker.drop(longestIdle);
      server.emit('drop');
    },
  });
}
