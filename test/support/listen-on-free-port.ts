import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterwards } from './afterwards.ts';

/** Has a server of HTTP or of bytes listen on a free port. To close it ends its connections too. */
export async function listenOnFreePort(server: Server): Promise<{ url: string; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = afterwards(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
