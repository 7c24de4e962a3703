/**
 * In which order requests are worked on, so that no client holds up the others.
 *
 * One in each turn of the event loop: Node.js (libuv since 1.45) accepts one connection a turn. If a turn worked on every
 * request that has come, a busy server would hardly accept a new connection, though those that are open are answered. While
 * connections come, a few turns accept alone: else those of clients that send nothing would keep all others waiting.
 *
 * One at a time of each connection: else a client that sends many requests at once, and reads no answer, would keep as many
 * answers in memory, and as many of the places that the overload protection counts.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = Parameters<RequestListener>;

/** How many requests may wait behind another one of their connection; past it, the connection is cut. */
const mostBehind = 100;

/** How many connections are accepted, if so many come, before the work on one request. */
const mostAccepted = 4;

/** Has each request worked on in its turn; one whose connection is gone by then is left out. */
export function inTurns(server: Server, listener: RequestListener): RequestListener {
  const waiting: Exchange[] = [];
  /** What waits behind the request that a connection has in work. */
  const behind = new WeakMap<Socket, Exchange[]>();
  let accepted = 0;
  let acceptedBefore = 0;
  let acceptedAtLast = 0;
  server.on('connection', () => (accepted += 1));

  const begin = (): void => {
    if (accepted > acceptedBefore && accepted - acceptedAtLast < mostAccepted) {
      acceptedBefore = accepted;
      setImmediate(begin);
      return;
    }
    acceptedBefore = acceptedAtLast = accepted;
    const [first] = waiting.splice(0, 1);
    if (waiting.length > 0) setImmediate(begin);
    if (first && !first[0].socket.destroyed) listener(...first);
  };
  const enqueue = (exchange: Exchange, socket: Socket): void => {
    exchange[1].once('close', () => {
      const next = behind.get(socket)?.shift();
      if (next) enqueue(next, socket);
      else behind.delete(socket);
    });
    if (waiting.push(exchange) === 1) setImmediate(begin);
  };
  return (...exchange) => {
    const { socket } = exchange[0];
    const others = behind.get(socket);
    if (!others) {
      behind.set(socket, []);
      enqueue(exchange, socket);
    } else if (others.push(exchange) > mostBehind) socket.destroy();
  };
}
