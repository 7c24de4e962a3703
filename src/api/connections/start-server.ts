import type { RequestListener } from 'node:http';
import type { Config } from '../../runtime/config.ts';
import { drainable } from './drain.ts';
import { listen } from './listen.ts';
import { createServer } from './server.ts';

/** The settings that choose where a server listens. */
export const addressSettings = '--host and --port (HOST, PORT)';

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Takes no new connections, lets the requests in flight finish for up to ten seconds, and resolves when all are done. */
  close(): Promise<void>;
}

/**
 * Starts a server for an application.
 * @throws {ListenError} if the address cannot be listened on
 */
export async function startServer(
  app: RequestListener,
  address: Pick<Config, 'host' | 'port'>,
): Promise<RunningServer> {
  const server = createServer(app);
  const drain = drainable(server);
  return { port: await listen(server, address, addressSettings), close: drain };
}
