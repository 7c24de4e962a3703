/**
 * Runs work on untrusted files in a process of its own, bounded in time and memory. A worker thread would not do: its
 * limits cover only V8's heap, not the memory outside it (inflated streams, pixels), and one allocation past them, or a
 * crash in native code, ends the whole process with every thread. The process of a job gets no environment, one file,
 * and as few permissions as Node.js and the operating system allow.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contained } from './containment.ts';
import type { InputFile } from './input-file.ts';
import { permissionsOf } from './permissions.ts';
import { watchMemory } from './watch-memory.ts';

/** How much time and memory a job gets. */
export interface Bounds {
  /** From start to end, including the start of the process. */
  milliseconds: number;
  /** Of all threads of the process together, where the system can limit it; a whole number. */
  processorSeconds: number;
  /** Of the whole process, of which Node.js itself takes about 60. */
  mebibytes: number;
}

/** The outcome of a job. */
export type BoundedOutcome<Output> =
  | { outcome: 'done'; output: Output }
  | { outcome: 'too-slow' }
  | { outcome: 'too-much-memory' }
  /** The job threw, or its process crashed. The message is for the log only: it may contain parts of the input. */
  | { outcome: 'failed'; message: string };

/** The default export of a job's module. Input and output are copied by the structured clone algorithm. */
export type Job<Input, Output> = (input: Input, file: InputFile) => Output | Promise<Output>;

/** A job, and what its process may read. */
export interface BoundedJob {
  /** As in `new URL('../../bounded-process/some-job.ts', import.meta.url)`. */
  module: URL;
  input: unknown;
  /** The path of the job's input file, if it has one. */
  file?: string | undefined;
  /** The installed packages that it imports. */
  packages?: readonly string[];
  /** Whether these may load compiled code. */
  addons?: boolean;
}

/** What the process is to do. */
export interface Order {
  job: string;
  input: unknown;
}

const extension = extname(import.meta.url);
const jobProcess = fileURLToPath(entryPoint(new URL('./job-process.ts', import.meta.url)));

/**
 * On Windows a process ends with its parent unless it is detached. Elsewhere it leads a group that is killed as one.
 */
const detached = process.platform !== 'win32';

/**
 * Memory that may be reserved but never filled. A lower limit would raise errors that a job might blame on the file.
 */
const mebibytesReserved = 4096;

/** Stopping the service may signal all of its processes, including a job's that does not ignore the signal yet. */
const stopSignals: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a job. When the promise settles, the job's process is gone, whatever the job was doing.
 * @throws the signal's reason if it aborts, or the error that prevents the file from opening or a process from starting
 */
export async function runBounded<Output>(
  job: BoundedJob,
  bounds: Bounds,
  signal?: AbortSignal,
): Promise<BoundedOutcome<Output>> {
  signal?.throwIfAborted();
  // Opening a pipe would otherwise wait for its writer.
  const file = job.file === undefined ? undefined : await open(job.file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const child = await start(job, bounds, file);
    const kill = (): void => {
      end(child);
    };
    const timeIsUp = AbortSignal.timeout(bounds.milliseconds);
    timeIsUp.addEventListener('abort', kill);
    signal?.addEventListener('abort', kill);
    const memory = child.pid === undefined ? undefined : watchMemory(child.pid, bounds.mebibytes, kill);
    const messages: BoundedOutcome<Output>[] = [];
    child.once('message', (message) => messages.push(message as BoundedOutcome<Output>));
    child.once('exit', kill);
    try {
      if (signal?.aborted) kill();
      const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
      // If the process could not start or has ended, its exit reports that; the failed send can be ignored.
      if (child.connected)
        child.send({ job: entryPoint(job.module).href, input: job.input } satisfies Order, () => undefined);
      const [exitCode, endSignal] = await closed;
      signal?.throwIfAborted();
      if (messages[0]) return messages[0];
      if (timeIsUp.aborted || endSignal === 'SIGXCPU') return { outcome: 'too-slow' };
      // The signal says nothing about the job, so it runs again unless the caller's signal has aborted.
      if (stopSignals.includes(endSignal)) return await runBounded(job, bounds, signal);
      // The watcher kills it for its memory, as does the kernel when the machine has none left; V8 and native code
      // abort.
      if (endSignal === 'SIGKILL' || endSignal === 'SIGABRT') return { outcome: 'too-much-memory' };
      return { outcome: 'failed', message: `Its process ended with ${endSignal ?? `exit code ${exitCode}`}.` };
    } finally {
      memory?.stop();
      timeIsUp.removeEventListener('abort', kill);
      signal?.removeEventListener('abort', kill);
    }
  } finally {
    await file?.close();
  }
}

async function start(job: BoundedJob, bounds: Bounds, file: FileHandle | undefined): Promise<ChildProcess> {
  const { processorSeconds, mebibytes } = bounds;
  const permissions = permissionsOf(fileURLToPath(job.module), job.packages ?? [], job.addons === true);
  const node = [process.execPath, `--max-old-space-size=${mebibytes}`, ...permissions, jobProcess];
  const limits = { processorSeconds, mebibytesOfData: mebibytes + mebibytesReserved };
  const [command = '', ...args] = await contained(node, limits);
  return spawn(command, args, {
    env: {},
    detached,
    windowsHide: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', file?.fd ?? 'ignore'],
  });
}

/** Kills a process and every process that it started or left behind. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(detached ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** The built file of an entry point when running the build, where all of them are JavaScript in one folder. */
function entryPoint(source: URL): URL {
  return new URL(source.href.replace(/\.ts$/, extension));
}
