import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.js';
import type { BenchServer } from './servers.js';
import { pinned } from './support/cores.js';
import { folders } from './support/folders.js';

const startSeconds = 60;
const stopSeconds = 15;

/** A server that runs. */
export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  stop(): Promise<void>;
}

/** The copy of the data that a run works on. */
export interface RunData {
  readonly folder: string;
  readonly databaseFile: string;
}

/**
 * Starts a server on this core, and resolves when it answers.
 * @throws {Error} if it ends or does not answer; the message ends with what it wrote
 */
export async function startServer(
  server: BenchServer,
  data: RunData,
  { core, signal }: { core: number | undefined; signal: AbortSignal },
): Promise<ServerProcess> {
  const port = await freePort();
  const logFile = join(data.folder, `${server.name}.log`);
  const place = { port, dataFolder: data.folder, databaseFile: data.databaseFile, logFile };
  const [command = '', ...args] = pinned(core, server.command(place));
  // Of the environment only what finds programs, so that no setting of the caller's shell decides.
  const { PATH, HOME } = process.env;
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, {
    cwd: folders.repository,
    env: { PATH, HOME, NODE_ENV: 'production', ...server.environment(place) },
    stdio: ['ignore', log, log],
    // A group of its own, so that Ctrl-C ends the run in its own order, and all that the server starts can be ended.
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const killGroup = () => {
    if (isRunning() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', killGroup);
  const stop = async () => {
    if (isRunning()) child.kill('SIGTERM');
    const patience = setTimeout(killGroup, stopSeconds * 1000);
    await ended;
    clearTimeout(patience);
    process.off('exit', killGroup);
    await rm(logFile, { force: true });
  };

  const origin = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startSeconds * 1000;
  while (!(await answers(origin))) {
    if (isRunning() && !signal.aborted && performance.now() < deadline) {
      await sleep(20);
      continue;
    }
    const fault = isRunning() ? 'does not answer' : 'ended at its start';
    const said = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-15).join('\n');
    await stop();
    signal.throwIfAborted();
    throw new Error(`The server ${server.name} ${fault}:\n${said}`);
  }
  return { pid: Number(child.pid), origin, stop };
}

function answers(origin: string): Promise<boolean> {
  return fetch(`${origin}/`).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}
