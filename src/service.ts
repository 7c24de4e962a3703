import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp, type Dependencies } from './app.js';
import type { Config } from './config.js';
import { createServer } from './http/server.js';

const drainSeconds = 10;

/** The server cannot take the address it was told to; the message tells the operator what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Where a server listens. */
export type Address = Pick<Config, 'host' | 'port'>;

/** A running server. */
export interface Service {
  /** The port it listens on. */
  readonly port: number;
  /** Takes no new requests, lets those under way finish for up to ten seconds, and resolves when all are done. */
  close(): Promise<void>;
}

/**
 * Starts a server on an open store. Closing the store afterwards is left to the caller.
 * @throws {ListenError} if the address cannot be listened on
 */
export async function startService(config: Config, dependencies: Omit<Dependencies, 'config'>): Promise<Service> {
  return startServer(await createApp({ ...dependencies, config }), config);
}

/**
 * Starts a server for an application.
 * @throws {ListenError} if the address cannot be listened on
 */
export async function startServer(app: RequestListener, address: Address): Promise<Service> {
  const server = createServer(app);
  await listen(server, address);
  return { port: (server.address() as AddressInfo).port, close: () => drain(server) };
}

async function listen(server: Server, { host, port }: Address): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `the port ${port} is in use` : message;
    throw new ListenError(
      `Cannot listen on ${host}: ${reason}. Choose another address with --host and --port (HOST, PORT).`,
      { cause: error },
    );
  }
}

async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const bound = setTimeout(() => {
    server.closeAllConnections();
  }, drainSeconds * 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(bound);
}
