import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, one of which a client might take in the meantime. */
const first = 20_000;
const count = 10_000;

/** Far enough apart that processes started together use different ports. */
const perProcess = 16;
let next = process.pid * perProcess;

/** A free port, for programs that cannot listen on port 0. */
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
