import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to clients, one of which might take it in the meantime. */
const first = 20_000;
const count = 10_000;

/** So far apart that processes started together do not meet. */
const perProcess = 16;
let next = process.pid * perProcess;

/** A port that nobody listens on, for programs that cannot listen on port 0. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % count);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
