/**
 * Runs work on files of strangers in a process of its own, bounded in time and memory. A worker thread would not do: its
 * limits hold for V8's heap alone, not for what lies beside it (inflated streams, pixels), and one allocation that is
 * past them, or a crash in native code, ends the whole process with every thread. The process of a job gets no
 * environment, one file, and as little else as Node.js and the operating system let it have.
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
  /** From its start to its end, that of the process included. */
  milliseconds: number;
  /** Of all threads of the process together, where the system can bound it; whole. */
  processorSeconds: number;
  /** Of the whole process: Node.js itself takes some 60. */
  mebibytes: number;
}

/** What became of a job. */
export type BoundedOutcome<Output> =
  | { outcome: 'done'; output: Output }
  | { outcome: 'too-slow' }
  | { outcome: 'too-much-memory' }
  /** The job threw, or its process crashed. The message is for the log: it may hold something of the input. */
  | { outcome: 'failed'; message: string };

/** What a job's module exports as its default. Input and output are copied by the structured clone algorithm. */
export type Job<Input, Output> = (input: Input, file: InputFile) => Output | Promise<Output>;

/** A job, and what its process may read. */
export interface BoundedJob {
  /** As in `new URL('../../bounded-process/some-job.ts', import.meta.url)`. */
  module: URL;
  input: unknown;
  /** The path of the file that it is given; without one, there is none. */
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

/** On Windows a process ends with its parent unless it is detached; elsewhere it leads a group that is ended as one. */
const detached = process.platform !== 'win32';

/** What may be reserved and never filled. A refusal would come as an error, which a job might take for one of the file. */
const mebibytesReserved = 4096;

/** Whoever stops this program may stop all processes of its service, and find one that does not ignore that yet. */
const stopSignals: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a job. When this settles, its process is gone, whatever the job was doing.
 * @throws the signal's reason if it is aborted, and what keeps the file from being opened or a process from being started
 */
export async function runBounded<Output>(
  job: BoundedJob,
  bounds: Bounds,
  signal?: AbortSignal,
): Promise<BoundedOutcome<Output>> {
  signal?.throwIfAborted();
  // A pipe would wait for its writer.
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
      // What cannot be sent, because the process could not be started or has ended, is reported by its end.
      if (child.connected)
        child.send({ job: entryPoint(job.module).href, input: job.input } satisfies Order, () => undefined);
      const [exitCode, endSignal] = await closed;
      signal?.throwIfAborted();
      if (messages[0]) return messages[0];
      if (timeIsUp.aborted || endSignal === 'SIGXCPU') return { outcome: 'too-slow' };
      // Nothing is known of the job then: what becomes of it is for the caller's signal to say.
      if (stopSignals.includes(endSignal)) return await runBounded(job, bounds, signal);
      // It is killed for its memory, by the kernel too when the machine has none left; V8 and native code abort.
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

/** Ends a process with all that it has started, or what it has left behind. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(detached ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** A source file that is an entry point of the build, where that runs: there all of them are JavaScript in one folder. */
function entryPoint(source: URL): URL {
  return new URL(source.href.replace(/\.ts$/, extension));
}
