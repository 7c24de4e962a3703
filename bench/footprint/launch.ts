import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.js';
import type { BenchServer, ServerPlace } from '../servers.js';
import { KeptConnection } from '../support/connection.js';
import { folders } from '../support/folders.js';

const startSeconds = 60;
const stopSeconds = 15;
const pollMilliseconds = 1;

/** A server that was started a moment ago. */
export interface LaunchedServer {
  readonly pid: number;
  readonly port: number;
  /** When its process was started, as performance.now() tells it. */
  readonly startedAt: number;
  /** Waits until it accepts a connection, which it looks for every millisecond. */
  readonly connected: Promise<KeptConnection>;
  stop(): Promise<void>;
}

/** Starts a server, with further variables of the environment, and does not wait for it. */
export async function launch(
  server: BenchServer,
  dataPlace: Omit<ServerPlace, 'port'>,
  { environment = {}, wrap = [] }: { environment?: NodeJS.ProcessEnv; wrap?: readonly string[] } = {},
): Promise<LaunchedServer> {
  const place = { ...dataPlace, port: await freePort() };
  const [command = '', ...args] = [...wrap, ...server.command(place)];
  const { PATH, HOME } = process.env;
  const log = openSync(place.logFile, 'w');
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: folders.repository,
    env: { PATH, HOME, NODE_ENV: 'production', ...server.environment(place), ...environment },
    stdio: ['ignore', log, log],
    // A group of its own, so that Ctrl-C ends the run in its own order.
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'close');
  const end = () => {
    kill(child, 'SIGKILL');
  };
  process.once('exit', end);
  const said = () => readFileSync(place.logFile, 'utf8').trim().split('\n').slice(-15).join('\n');
  return {
    pid: Number(child.pid),
    port: place.port,
    startedAt,
    connected: connectWhenReady(server.name, child, place.port, said),
    stop: async () => {
      kill(child, 'SIGTERM');
      const patience = setTimeout(end, stopSeconds * 1000);
      await ended;
      clearTimeout(patience);
      process.off('exit', end);
    },
  };
}

async function connectWhenReady(
  name: string,
  child: ChildProcess,
  port: number,
  said: () => string,
): Promise<KeptConnection> {
  const deadline = performance.now() + startSeconds * 1000;
  for (;;)
    try {
      return await KeptConnection.open(port);
    } catch {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`The server ${name} does not accept connections:\n${said()}`);
      await sleep(pollMilliseconds);
    }
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, signal);
}
