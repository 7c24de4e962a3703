import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../scripts/free-port.ts';
import type { BenchServer } from './servers.ts';
import { type SpawnedServer, spawnServer } from './spawn-server.ts';
import { pinned } from './support/cores.ts';

const startSeconds = 60;

/** A running server. */
export interface ServerProcess extends Pick<SpawnedServer, 'pid' | 'stop'> {
  readonly origin: string;
}

/** The copy of the data that a run uses. */
export interface RunData {
  readonly folder: string;
  readonly databaseFile: string;
}

/**
 * Starts a server on this core, and resolves when it responds.
 * @throws {Error} if it exits or does not respond; the message ends with its output
 */
export async function startServer(
  server: BenchServer,
  data: RunData,
  { core, signal }: { core: number | undefined; signal: AbortSignal },
): Promise<ServerProcess> {
  const port = await freePort();
  const logFile = join(data.folder, `${server.name}.log`);
  const place = { port, dataFolder: data.folder, databaseFile: data.databaseFile, logFile };
  const { pid, isRunning, said, stop } = spawnServer(
    pinned(core, server.command(place)),
    server.environment(place),
    logFile,
  );
  const origin = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startSeconds * 1000;
  while (!(await responds(origin))) {
    if (isRunning() && !signal.aborted && performance.now() < deadline) {
      await sleep(20);
      continue;
    }
    const fault = `${isRunning() ? 'does not respond' : 'ended at its start'}:\n${said()}`;
    await stop();
    signal.throwIfAborted();
    throw new Error(`The server ${server.name} ${fault}`);
  }
  return { pid, origin, stop };
}

function responds(origin: string): Promise<boolean> {
  return fetch(`${origin}/`).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}
