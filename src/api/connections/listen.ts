import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from '../../domain/errors.ts';

/**
 * The number of connections that can wait to be accepted, if the operating system allows it (`net.core.somaxconn`).
 * With Node's default of 511, the system drops new connections during a burst, and their clients wait for seconds.
 */
export const backlog = 4096;

/**
 * Makes a server listen, and returns its port. `advice` names the settings that choose the address.
 * @throws {OperatorError} if the address cannot be listened on
 */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  advice: string,
): Promise<number> {
  try {
    server.listen({ port, host, backlog });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `the port ${port} is in use` : message;
    throw new OperatorError(`Cannot listen on ${host}: ${reason}. Choose another address with ${advice}.`, {
      cause: error,
    });
  }
}
