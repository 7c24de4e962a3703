/**
 * Counts the connections of a server and the requests on them, for the bound on connections, the request scheduler, the
 * drain and the metrics.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type Exchange = Parameters<RequestListener>;

export interface Connection {
  readonly socket: Socket;
  /** Requests without a complete response, in order of arrival. */
  readonly inFlight: readonly Exchange[];
  /** The latest request, in flight or not. */
  readonly last: Exchange | undefined;
}

export interface ConnectionObserver {
  opened?(connection: Connection): void;
  begins?(exchange: Exchange, connection: Connection): void;
  /** The request is no longer in flight: its response is complete, or its client has gone. */
  ends?(connection: Connection): void;
}

export type TrackedServer = Server & { readonly tracker: ConnectionTracker };

export type { ConnectionTracker };

interface TrackedConnection extends Connection {
  readonly inFlight: Exchange[];
  last: Exchange | undefined;
}

/** The events of a request: Node.js emits one of them, depending on the client's `Expect` header. */
export const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const;

/** What tracks the connections of a server. One of its observers must respond to the requests, whatever they expect. */
class ConnectionTracker {
  readonly #connections = new Map<Duplex, TrackedConnection>();
  readonly #idle = new Set<Connection>();
  readonly open: ReadonlyMap<Duplex, Connection> = this.#connections;
  /** The open connections without a request in flight, the one for which this is true for longest first. */
  readonly idle: ReadonlySet<Connection> = this.#idle;
  readonly #observers: ConnectionObserver[] = [];
  #accepted = 0;
  #inFlight = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#opened(socket);
    });
    for (const event of requestEvents)
      server.on(event, (...exchange: Exchange) => {
        this.#begins(exchange);
      });
  }

  /** The number of connections accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  observe(observer: ConnectionObserver): void {
    this.#observers.push(observer);
  }

  drop(connection: Connection): void {
    this.#idle.delete(connection);
    connection.socket.destroy();
  }

  #opened(socket: Socket): void {
    const connection: TrackedConnection = { socket, inFlight: [], last: undefined };
    this.#accepted += 1;
    this.#connections.set(socket, connection);
    this.#idle.add(connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#idle.delete(connection);
    });
    for (const observer of this.#observers) observer.opened?.(connection);
  }

  #begins(exchange: Exchange): void {
    const [{ socket }, response] = exchange;
    const connection = this.#connections.get(socket);
    if (!connection || socket.destroyed) return;
    connection.last = exchange;
    connection.inFlight.push(exchange);
    this.#inFlight += 1;
    this.#idle.delete(connection);
    response.on('close', () => {
      this.#ends(exchange, connection);
    });
    for (const observer of this.#observers) observer.begins?.(exchange, connection);
  }

  #ends(exchange: Exchange, connection: TrackedConnection): void {
    connection.inFlight.splice(connection.inFlight.indexOf(exchange), 1);
    this.#inFlight -= 1;
    if (connection.inFlight.length === 0 && !connection.socket.destroyed) this.#idle.add(connection);
    for (const observer of this.#observers) observer.ends?.(connection);
  }
}

/** A server whose connections are tracked from now on. */
export function tracked(server: Server): TrackedServer {
  return Object.assign(server, { tracker: new ConnectionTracker(server) });
}
