/**
 * Runs work on files of strangers in a process of its own, bounded in time and memory. A worker thread would not do: its
 * limits hold for V8's heap alone, not for what lies beside it (inflated streams, pixels), and one allocation that is
 * past them, or a crash in native code, ends the whole process with every thread. The process of a job gets no
 * environment, thus no secret.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How much time and memory a job gets. */
export interface Bounds {
  /** The start of the process included. */
  milliseconds: number;
  /** Of the whole process: Node.js itself takes some 75. */
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
export type Job<Input, Output> = (input: Input) => Output | Promise<Output>;

/** What the process is told to do. */
export interface Order {
  job: string;
  input: unknown;
  mebibytes: number;
}

const extension = extname(import.meta.url);
const jobProcess = fileURLToPath(entryPoint(new URL('./job-process.ts', import.meta.url)));

/** Whoever stops this program may stop its whole process group, and find a process that does not ignore that yet. */
const stopSignals: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a job. When this settles, its process is gone, whatever the job was doing.
 * @param job the module of the job, as in `new URL('../../bounded-process/some-job.ts', import.meta.url)`
 * @throws the signal's reason if it is aborted, and what keeps a process from being started
 */
export async function runBounded<Output>(
  job: URL,
  input: unknown,
  bounds: Bounds,
  signal?: AbortSignal,
): Promise<BoundedOutcome<Output>> {
  signal?.throwIfAborted();
  const child = fork(jobProcess, {
    execArgv: [`--max-old-space-size=${bounds.mebibytes}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  const timeIsUp = AbortSignal.timeout(bounds.milliseconds);
  timeIsUp.addEventListener('abort', kill);
  signal?.addEventListener('abort', kill);
  const answers: BoundedOutcome<Output>[] = [];
  child.once('message', (message) => answers.push(message as BoundedOutcome<Output>));
  try {
    const end = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    // What cannot be sent, because the process could not be started or has ended, is told by its end.
    if (child.connected)
      child.send({ job: entryPoint(job).href, input, mebibytes: bounds.mebibytes } satisfies Order, () => undefined);
    const [exitCode, endSignal] = await end;
    signal?.throwIfAborted();
    if (answers[0]) return answers[0];
    if (timeIsUp.aborted) return { outcome: 'too-slow' };
    // Nothing is known of the job then: what becomes of it is for the caller's signal to say.
    if (stopSignals.includes(endSignal)) return await runBounded(job, input, bounds, signal);
    // The watchdog kills the process, as the kernel does when the machine has no memory left; V8 and native code abort.
    if (endSignal === 'SIGKILL' || endSignal === 'SIGABRT') return { outcome: 'too-much-memory' };
    return { outcome: 'failed', message: `Its process ended with ${endSignal ?? `exit code ${exitCode}`}.` };
  } finally {
    timeIsUp.removeEventListener('abort', kill);
    signal?.removeEventListener('abort', kill);
  }
}

/** A source file that is an entry point of the build, where that runs: there all of them are JavaScript in one folder. */
function entryPoint(source: URL): URL {
  return new URL(source.href.replace(/\.ts$/, extension));
}
