import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { Handler, ProxiedRequest, ProxiedResponse } from './mutant.ts';
import { send } from './rows.ts';

/** A server that forwards every request to another. */
export interface Proxy {
  readonly url: string;
  /** Errors of the proxy itself: its responses are then not those of a mutant. */
  readonly errors: Error[];
  close(): Promise<void>;
}

/** Starts a proxy on a free port. The handler may change every request and response. */
export async function startProxy(handler: Handler): Promise<Proxy> {
  const errors: Error[] = [];
  const fail = (error: unknown, connection: { destroy: () => unknown }): void => {
    errors.push(error instanceof Error ? error : new Error(String(error)));
    connection.destroy();
  };
  const server = http.createServer({ requireHostHeader: false, maxHeaderSize: 256 * 1024, keepAliveTimeout: 60_000 });
  server.maxHeadersCount = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A client that disconnects is not a fault of the proxy.
    const read = await readRequest(request).catch(() => undefined);
    if (!read) return;
    const proxied = await handler(read);
    const { 'content-length': length } = proxied.headers;
    if (proxied.send) proxied.send(response, proxied, read);
    else {
      if (request.method === 'HEAD' && length !== undefined) response.setHeader('content-length', length);
      send(response, proxied, proxied.body);
    }
  };
  // Node.js begins requests on one connection at once, and a server must not (RFC 9112, section 9.3.2).
  const turns = new WeakMap<Socket, Promise<void>>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const before = turns.get(request.socket) ?? Promise.resolve();
    const turn = before.then(() => serve(request, response));
    const ended = turn.catch((error: unknown) => {
      fail(error, response);
    });
    turns.set(request.socket, ended);
  };
  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
    const { rawPacket: malformed } = error;
    if (!malformed) {
      socket.destroy();
      return;
    }
    handler({ method: '', path: '', headers: [], body: Buffer.alloc(0), malformed }).then(
      ({ status, headers, body }) => {
        const length = headers['content-length'] !== undefined && { 'content-length': `${Buffer.byteLength(body)}` };
        const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n${body}`);
      },
      (error: unknown) => {
        fail(error, socket);
      },
    );
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    onRequest(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errors,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Forwards requests to a server unchanged. */
export function forwardTo(url: string): { forward: Handler; close: () => void } {
  const { hostname, port } = new URL(url);
  const agent = new http.Agent({ keepAlive: true });
  return {
    forward: async ({ method, path, headers, body, malformed, connection }) =>
      malformed
        ? forwardRaw(new URL(url), malformed)
        : new Promise<ProxiedResponse>((resolve, reject) => {
            const rawHeaders = headers.flat() as unknown as http.OutgoingHttpHeaders;
            // Failed authentications count by address, of which the suite has several.
            const localAddress = (connection as Socket | undefined)?.remoteAddress;
            const outgoing = http.request({ agent, hostname, port, localAddress, method, path, headers: rawHeaders });
            outgoing.on('error', reject);
            outgoing.on('response', (incoming) => {
              const { statusCode: status = 0, headers: received } = incoming;
              text(incoming).then((read) => {
                resolve({ status, headers: { ...received }, body: read });
              }, reject);
            });
            outgoing.end(body);
          }),
    close: () => {
      agent.destroy();
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<ProxiedRequest> {
  const { method = '', url: path = '', rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
  const { httpVersion, socket: connection } = request;
  return { method, path, headers, body: await buffer(request), httpVersion, connection };
}

/** Sends bytes that are not HTTP to a server, and reads the response with which it closes the connection. */
async function forwardRaw({ hostname, port }: URL, bytes: Buffer): Promise<ProxiedResponse> {
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const received = await text(socket);
  // The bytes may begin with requests that have got their responses.
  const last = received.slice(Math.max(0, received.lastIndexOf('HTTP/1.1 ')));
  const [head = '', body = ''] = last.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/: ?(.*)/s);
    return [name.toLowerCase(), value];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}
