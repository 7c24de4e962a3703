/**
 * A bound on the connections of all clients together by which nobody is locked out. Past it, the connection is closed that
 * has been without a request in work for longest: one that was never used, one whose headers never end, or one that is
 * kept for a later request. So whoever fills the bound with such connections loses them to those who send requests.
 * Refusing the new connection, as `maxConnections` of Node.js does, would let a few idle clients lock out all others.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Follower } from './conversations.ts';

/**
 * Bounds the open connections of a server; what it gives must be among those that follow its conversations. If all others
 * have a request in work, it is the new connection that is closed. Each that is closed emits `drop` on the server, as
 * Node.js' own bound does.
 */
export function boundConnections(server: Server, maxConnections: number): Follower {
  /** Those that have no request in work, the one for which this is true for longest first. */
  const idle = new Set<Socket>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    open += 1;
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open <= maxConnections) return;
    const [longestIdle = socket] = idle;
    idle.delete(longestIdle);
    longestIdle.destroy();
    server.emit('drop');
  });

  return {
    begins: ([{ socket }]) => idle.delete(socket),
    ends: (socket, { underWay }) => {
      if (underWay.length === 0 && !socket.destroyed) idle.add(socket);
    },
  };
}
