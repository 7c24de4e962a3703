import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { folders } from './support/folders.ts';

const stopSeconds = 15;

/** The process of a server, whether it is ready or not. */
export interface SpawnedServer {
  readonly pid: number;
  /** The time of its start, by performance.now(). */
  readonly startedAt: number;
  readonly isRunning: () => boolean;
  /** The end of its output. */
  readonly said: () => string;
  /** Stops it, and removes its log file. */
  readonly stop: () => Promise<void>;
}

/** Starts the process of a server, which writes to the log file, without waiting for it. */
export function spawnServer(
  [command = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  logFile: string,
): SpawnedServer {
  // Passes on only what is needed to find programs, so that the caller's shell settings have no influence.
  const { PATH, HOME } = process.env;
  const log = openSync(logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: folders.repository,
    env: { PATH, HOME, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', log, log],
    // A process group of its own, so that Ctrl-C stops the run in its own order, and all processes of the server can be
    // killed.
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const killGroup = () => {
    if (isRunning() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', killGroup);
  return {
    pid: Number(child.pid),
    startedAt,
    isRunning,
    said: () => readFileSync(logFile, 'utf8').trim().split('\n').slice(-15).join('\n'),
    stop: async () => {
      if (isRunning()) child.kill('SIGTERM');
      const timeout = setTimeout(killGroup, stopSeconds * 1000);
      await ended;
      clearTimeout(timeout);
      process.off('exit', killGroup);
      await rm(logFile, { force: true });
    },
  };
}
