import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import type { BenchServer, ServerPlace } from '../servers.ts';
import { type SpawnedServer, spawnServer } from '../spawn-server.ts';
import { KeptConnection } from '../support/connection.ts';

const startSeconds = 60;
const pollMilliseconds = 1;

/** A server that has just been started. */
export interface LaunchedServer extends Pick<SpawnedServer, 'pid' | 'startedAt' | 'stop'> {
  readonly port: number;
  /** Resolves when it accepts a connection, which is tried every millisecond. */
  readonly connected: Promise<KeptConnection>;
}

/** Starts a server, with additional environment variables, without waiting for it. */
export async function launch(
  server: BenchServer,
  dataPlace: Omit<ServerPlace, 'port'>,
  { environment = {}, wrap = [] }: { environment?: NodeJS.ProcessEnv; wrap?: readonly string[] } = {},
): Promise<LaunchedServer> {
  const place = { ...dataPlace, port: await freePort() };
  const spawned = spawnServer(
    [...wrap, ...server.command(place)],
    { ...server.environment(place), ...environment },
    place.logFile,
  );
  return { ...spawned, port: place.port, connected: connectWhenReady(server.name, place.port, spawned) };
}

async function connectWhenReady(
  name: string,
  port: number,
  { isRunning, said }: SpawnedServer,
): Promise<KeptConnection> {
  const deadline = performance.now() + startSeconds * 1000;
  for (;;)
    try {
      return await KeptConnection.open(port);
    } catch {
      if (!isRunning() || performance.now() > deadline)
        throw new Error(`The server ${name} does not accept connections:\n${said()}`);
      await sleep(pollMilliseconds);
    }
}
