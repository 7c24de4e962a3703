/**
 * A bound on the connections of all clients together by which nobody is locked out. Past it, the connection is closed that
 * has been without a request in flight for longest: one that was never used, one whose headers never end, or one that is
 * kept for a later request. So whoever fills the bound with such connections loses them to those who send requests.
 * Refusing the new connection, as `maxConnections` of Node.js does, would let a few idle clients lock out all others.
 */
import type { TrackedServer } from './connection-tracker.ts';

/**
 * Bounds the open connections of a server. If all others have a request in flight, it is the new connection that is closed.
 * Each that is closed emits `drop` on the server, as Node.js' own bound does.
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
