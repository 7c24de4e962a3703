import { once } from 'node:events';
import { type RequestListener, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { UsageError } from '../run/errors.ts';

const drainSeconds = 10;

export type RunningServer = Awaited<ReturnType<typeof serve>>;

/** @throws {UsageError} if the server cannot listen on the address */
export async function serve(listener: RequestListener, { host, port }: { host: string; port: number }) {
  // What is wrong with a request is for the listener to say.
  const server = createServer({ requireHostHeader: false }, listener);
  server.on('checkExpectation', listener);
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `the port ${port} is in use` : message;
    throw new UsageError(`cannot listen on ${host}: ${reason}; choose another address with --host and --port`);
  });
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return {
    /** The address for clients on this machine. */
    url: `http://${isIPv6(name) ? `[${name}]` : name}:${(server.address() as AddressInfo).port}`,
    /** Accepts no new connections, waits up to ten seconds for the requests in flight, and closes. */
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, drainSeconds * 1000);
      await closed;
      clearTimeout(timer);
    },
  };
}

export async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** The path and query of a request target in absolute form or origin form. */
export function originForm(target = ''): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Sends a complete response; without content it has no body. */
export function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content?: { mediaType: string; body: string | Uint8Array },
): void {
  response.writeHead(status, {
    ...(content && { 'Content-Type': content.mediaType, 'Content-Length': Buffer.byteLength(content.body) }),
    ...(!content && status !== 204 && status !== 304 && { 'Content-Length': 0 }),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(content?.body);
}
