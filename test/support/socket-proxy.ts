import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

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
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    const cut = () => {
      client.destroy();
      upstream.end();
    };
    const relay = (from: Socket, to: Socket, direction: keyof ProxyRules) => {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.end());
      from.on('data', (bytes: Buffer) => {
        const changed = rules[direction] ? rules[direction](bytes, cut) : bytes;
        if (changed && to.writable) to.write(changed);
      });
    };
    relay(client, upstream, 'toServer');
    relay(upstream, client, 'toClient');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await work(url.href);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
