/**
 * Runs work on an untrusted file in a separate process with bounded time and memory and few permissions. The limits of
 * a worker thread cover only V8's heap, and a crash in native code would end every thread.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { contained, type ResourceLimits } from './containment.ts';
import { receive } from './message.ts';
import { createRequire } from 'node:module';

/**
 * Watches the memory of a process from outside. A thread inside it would be exempt from Node's permission model, and
 * allowing threads would exempt the job too. Memory is not watched on Windows.
 */
const { intervalMilliseconds, kibibytesOf } =
  process.platform === 'linux'
    ? { intervalMilliseconds: 20, kibibytesOf: kibibytesByProc }
    : { intervalMilliseconds: 250, kibibytesOf: kibibytesByPs };

/** Calls `onExceeded` whenever a process has more memory than allowed, until the timer is cleared. */
function watchMemory(pid: number, mebibytes: number, onExceeded: () => void): NodeJS.Timeout {
  const look = (kibibytes: number) => {
    if (kibibytes > mebibytes * 1024) onExceeded();
  };
  return setInterval(kibibytesOf, intervalMilliseconds, pid, look);
}

/** Synchronous, because it takes only about 20 microseconds; an asynchronous read takes longer, and can be delayed. */
function kibibytesByProc(pid: number, report: (kibibytes: number) => void): void {
  try {
    report(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0));
  } catch {
    // It has ended.
  }
}

function kibibytesByPs(pid: number, report: (kibibytes: number) => void): void {
  execFile('ps', ['-o', 'rss=', '-p', String(pid)], (_, stdout) => {
    report(Number(stdout));
  });
}

const program = fileURLToPath(new URL(extname(import.meta.url) === '.ts' ? '../..' : '.', import.meta.url));

/**
 * Flags of Node.js that allow a process only to read the program, the job's folder and those of its packages that are
 * installed. They allow no worker thread, because Node.js does not restrict those.
 */
function permissionsOf(job: string, packages: readonly string[], addons: boolean): string[] {
  const own = job.startsWith(program) ? [program] : [program, dirname(job)];
  const folders = new Set([...own, ...packages.flatMap((name) => foldersOf(name, import.meta.url, packages))]);
  return [
    '--permission',
    // The permission model does not restrict databases.
    '--no-experimental-sqlite',
    ...[...folders].map((folder) => `--allow-fs-read=${folder.endsWith(sep) ? folder : folder + sep}`),
    ...(addons ? ['--allow-addons'] : []),
  ];
}

/**
 * The folder of a package, if it is installed, and of its optional dependencies that are listed too or hold compiled
 * code for a platform. Node.js reads links, so a linked folder is allowed under both of its names.
 */
function foldersOf(name: string, from: string, packages: readonly string[]): string[] {
  const places = createRequire(from).resolve.paths(name) ?? [];
  const place = places.find((path) => existsSync(join(path, name)));
  if (place === undefined) return [];
  const folder = join(place, name);
  const link = lstatSync(place).isSymbolicLink() ? [place] : [];
  const manifest = join(realpathSync(folder), 'package.json');
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>;
  };
  const needed = Object.keys(optionalDependencies).filter(
    (other) => packages.includes(other) || other.startsWith(`${name}-`),
  );
  return [...link, folder, dirname(manifest), ...needed.flatMap((other) => foldersOf(other, manifest, packages))];
}

export type Bounds = ResourceLimits & { milliseconds: number };

export type BoundedOutcome<Output> =
  | { outcome: 'done'; output: Output; bytes: Buffer }
  | { outcome: 'too-slow' }
  | { outcome: 'too-much-memory' }
  /** The job threw, or its process crashed. The message is for the log only: it may contain parts of the input. */
  | { outcome: 'failed'; message: string };

/** The result of a job: at most 64 KiB of JSON, and bytes. */
type JobResult<Output> = { output: Output; bytes?: Uint8Array };

/** The default export of a job's module. Its input is JSON too. Its file is an open descriptor: it can open no other. */
export type Job<Input, Output> = (input: Input, file: number) => JobResult<Output> | Promise<JobResult<Output>>;

export interface BoundedJob {
  /** As in `new URL('../../bounded-process/some-job.ts', import.meta.url)`. */
  module: URL;
  input: unknown;
  file?: string | undefined;
  packages?: readonly string[];
  addons?: boolean;
  /** The maximum length of the bytes that it returns; 0 by default. */
  maxBytes?: number;
}

export interface Order {
  job: string;
  input: unknown;
}

const outputDescriptor = 3;

const extension = extname(import.meta.url);
const jobProcess = fileURLToPath(entryPoint(new URL('./job-process.ts', import.meta.url)));

/** Elsewhere than on Windows, where a process ends with its parent, it leads a group that is killed as one. */
const detached = process.platform !== 'win32';

/** Stopping the service may signal all of its processes, including a job's that does not ignore the signal yet. */
const stopSignals: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** By the watcher or by the kernel without memory left, by V8 or native code, and by V8 as it starts. */
const memorySignals: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGABRT', 'SIGTRAP'];

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
    const { pid } = child;
    /** Kills the process and every process that it started or left behind. */
    const kill = (): void => {
      try {
        if (pid !== undefined) process.kill(detached ? -pid : pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    };
    const timeIsUp = AbortSignal.timeout(bounds.milliseconds);
    timeIsUp.addEventListener('abort', kill);
    signal?.addEventListener('abort', kill);
    const memory = pid === undefined ? undefined : watchMemory(pid, bounds.mebibytes, kill);
    // There are no streams if the process could not start.
    const { stdio } = child as Partial<ChildProcess>;
    const output = stdio?.[outputDescriptor] as Readable | undefined;
    child.once('exit', () => {
      kill();
      output?.destroy();
    });
    try {
      if (signal?.aborted) kill();
      const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      // After its only message the process has nothing left to do.
      const received = output && outcomeFrom<Output>(output, job.maxBytes ?? 0).finally(kill);
      const [exitCode, endSignal] = await ended;
      const outcome = await received;
      signal?.throwIfAborted();
      if (outcome) return outcome;
      if (timeIsUp.aborted || endSignal === 'SIGXCPU') return { outcome: 'too-slow' };
      // The signal says nothing about the job, so it runs again unless the caller's signal has aborted.
      if (stopSignals.includes(endSignal)) return await runBounded(job, bounds, signal);
      if (memorySignals.includes(endSignal)) return { outcome: 'too-much-memory' };
      return { outcome: 'failed', message: `Its process ended with ${endSignal ?? `exit code ${exitCode}`}.` };
    } finally {
      clearInterval(memory);
      output?.destroy();
      timeIsUp.removeEventListener('abort', kill);
      signal?.removeEventListener('abort', kill);
    }
  } finally {
    await file?.close();
  }
}

async function outcomeFrom<Output>(stream: Readable, maxBytes: number): Promise<BoundedOutcome<Output> | undefined> {
  try {
    const received = await receive(stream, maxBytes);
    if (!received) return undefined;
    const { outcome, output, message } = received.outcome as Record<string, unknown>;
    return outcome === 'done'
      ? { outcome, output: output as Output, bytes: received.bytes }
      : { outcome: 'failed', message: String(message) };
  } catch (error) {
    return { outcome: 'failed', message: String(error) };
  }
}

async function start(job: BoundedJob, bounds: Bounds, file: FileHandle | undefined): Promise<ChildProcess> {
  const [command = '', ...args] = await contained(commandOf(job, bounds), bounds);
  return spawn(command, args, {
    env: {},
    detached,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', file?.fd ?? 'ignore'],
  });
}

/** The command that runs a job, with as few permissions as Node.js allows. */
export function commandOf(job: BoundedJob, { mebibytes }: Bounds): string[] {
  const permissions = permissionsOf(fileURLToPath(job.module), job.packages ?? [], job.addons === true);
  const order: Order = { job: entryPoint(job.module).href, input: job.input };
  return [process.execPath, `--max-old-space-size=${mebibytes}`, ...permissions, jobProcess, JSON.stringify(order)];
}

/** The built file of an entry point when running the build, where all of them are JavaScript in one folder. */
function entryPoint(source: URL): URL {
  return new URL(source.href.replace(/\.ts$/, extension));
}
