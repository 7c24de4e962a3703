/**
 * In which order requests are worked on, so that no client holds up the others.
 *
 * A bounded number in each turn of the event loop: Node.js (libuv since 1.45) accepts one connection a turn. If a turn
 * worked on every request that has come, a busy server would hardly accept a new connection, though those that are open
 * are answered. While connections come it is one request, and a few turns accept alone: else those of clients that send
 * nothing would keep all others waiting.
 *
 * One at a time of each connection: else a client that sends many requests at once, and reads no answer, would keep as many
 * answers in memory, and as many of the places that the overload protection counts.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = Parameters<RequestListener>;

/** How many requests may wait behind another one of their connection; past it, the connection is cut. */
const mostBehind = 100;

/** How many requests are worked on in a turn in which no connection comes. */
const mostInTurn = 16;

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
  /** How many requests may still begin in this turn. */
  let room = mostInTurn;
  let turnEnds = false;

  const endTurn = (): void => {
    if (turnEnds) return;
    turnEnds = true;
    setImmediate(nextTurn);
  };
  const nextTurn = (): void => {
    turnEnds = false;
    const connectionsCome = accepted > acceptedBefore;
    const acceptAlone = connectionsCome && accepted - acceptedAtLast < mostAccepted;
    acceptedBefore = accepted;
    if (!acceptAlone) acceptedAtLast = accepted;
    room = connectionsCome ? Number(!acceptAlone) : mostInTurn;
    for (const exchange of waiting.splice(0, room)) begin(exchange);
    if (connectionsCome || waiting.length > 0) endTurn();
  };
  const begin = (exchange: Exchange): void => {
    room -= 1;
    endTurn();
    if (!exchange[0].socket.destroyed) listener(...exchange);
  };
  server.on('connection', () => {
    accepted += 1;
    room = 0;
    endTurn();
  });

  const enqueue = (exchange: Exchange, socket: Socket): void => {
    exchange[1].once('close', () => {
      const next = behind.get(socket)?.shift();
      if (next) enqueue(next, socket);
      else behind.delete(socket);
    });
    if (room > 0 && waiting.length === 0) begin(exchange);
    else {
      waiting.push(exchange);
      endTurn();
    }
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
