import http from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './listen-on-free-port.ts';

export const json = { 'Content-Type': 'application/json' };

/** Serves HTTP on a free port, until the tests of the file have ended; returns the address. */
export const serveHttp = async (handler: http.RequestListener) =>
  (await listenOnFreePort(http.createServer(handler))).url;

/** Serves bytes, not HTTP. */
export const serveBytes = async (serve: (socket: Socket) => void) => (await listenOnFreePort(createServer(serve))).url;

/** Responds to each request of a connection, as soon as its head has come, with the same bytes. */
export function responding(bytes: string): (socket: Socket) => void {
  return (socket) => socket.on('data', () => socket.write(bytes));
}

/** Responds to the first request with these bytes, and closes. */
export function cutOff(bytes: string): (socket: Socket) => void {
  return (socket) => socket.once('data', () => socket.end(bytes));
}

/** Responds to every request the same, once it has come whole. */
export function respondWith(status: number, headers: http.OutgoingHttpHeaders, body = ''): http.RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
}

/** Sends the same bytes again and again, whatever comes. */
export function trickling(bytes: string): (socket: Socket) => void {
  return (socket) => {
    const timer = setInterval(() => socket.write(bytes), 5);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
}

/** What a proxy does with the bytes of each direction: it may change them, or keep them for itself (undefined). */
export interface ProxyRules {
  toServer?: (bytes: Buffer, cut: () => void) => Buffer | undefined;
  toClient?: (bytes: Buffer, cut: () => void) => Buffer | undefined;
}

/** Stands between a client and the server of a URL while `work` runs; `rules` may change meanwhile. */
export async function withProxy(
  target: string,
  rules: ProxyRules,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const url = new URL(target);
  const { hostname, port } = url;
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    const cut = () => {
      client.destroy();
      upstream.end();
    };
    const relay = (from: Socket, to: Socket, direction: keyof ProxyRules) => {
      from.on('error', () => undefined);
      from.on('close', () => to.end());
      from.on('data', (bytes: Buffer) => {
        const changed = rules[direction] ? rules[direction](bytes, cut) : bytes;
        if (changed && to.writable) to.write(changed);
      });
    };
    relay(client, upstream, 'toServer');
    relay(upstream, client, 'toClient');
  });
  const own = await listenOnFreePort(server);
  url.host = new URL(own.url).host;
  try {
    await work(url.href);
  } finally {
    await own.close();
  }
}
