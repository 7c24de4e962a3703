/**
 * Stops a server without losing a request. A keep-alive client may send its next request while its idle connection is
 * being closed. So connections stay open for a second after the port is closed, and responses in that second have
 * `Connection: close`.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requestEvents, type TrackedServer } from './connection-tracker.ts';
import { backlog } from './listen.ts';

const idleGraceMilliseconds = 1000;
const idleCheckMilliseconds = 50;
const boundMilliseconds = 10_000;

/**
 * Returns a function that stops a server: it accepts no more connections, lets requests in flight and those still
 * arriving finish for up to ten seconds, and resolves when every connection is closed.
 */
export function drainable(server: TrackedServer): () => Promise<void> {
  const { tracker } = server;
  const lastOn = (socket: Socket) => tracker.open.get(socket)?.last?.[1];
  const makeLast = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const previous = lastOn(socket);
    // Each pipelined request gets a response.
    if (previous && !previous.headersSent) previous.shouldKeepAlive = true;
    response.shouldKeepAlive = false;
  };

  return async () => {
    for (const { last } of tracker.open.values()) {
      const response = last?.[1];
      if (response && !response.headersSent) response.shouldKeepAlive = false;
    }
    for (const event of requestEvents) server.prependListener(event, makeLast);
    const closed = once(server, 'close');
    const bound = setTimeout(() => {
      server.closeAllConnections();
    }, boundMilliseconds);
    await acceptWaiting();
    // Closing an HTTP server cuts idle connections at once, and loses the requests still arriving on them.
    NetServer.prototype.close.call(server);
    let idle: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      idle = setInterval(() => {
        server.closeIdleConnections();
        // Node.js does not count a connection that has sent nothing yet as idle.
        for (const { socket } of tracker.open.values()) if (socket.bytesRead === 0) socket.destroy();
      }, idleCheckMilliseconds);
    }, idleGraceMilliseconds);
    await closed;
    for (const timer of [grace, idle, bound]) clearTimeout(timer);
    server.close();
  };

  /** Node.js accepts connections one by one; those still waiting, perhaps with a request, would be reset. */
  async function acceptWaiting(): Promise<void> {
    for (let turn = 0, before = -1; tracker.accepted !== before && turn < backlog; turn += 1) {
      before = tracker.accepted;
      await nextTurn();
      await nextTurn();
    }
  }
}
