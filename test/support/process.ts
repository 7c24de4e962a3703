import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Those that run, each with what it was started with. */
const running = new Map<ProgramProcess, string>();
process.once('exit', () => {
  for (const { child } of running.keys()) child.kill('SIGKILL');
});

/**
 * Makes a data directory, hands it to `work` and removes it, however that ends, with the processes that still run on it. What
 * `work` throws is what is wrong, whatever becomes of the removal then.
 */
export async function withDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'document-analysis-'));
  const remove = async () => {
    const left = [...running].flatMap(([program, given]) => (given.includes(dataDir) ? [program] : []));
    for (const { child } of left) child.kill('SIGKILL');
    await Promise.all(left.map(({ ended }) => ended));
    await removeFolder(dataDir);
  };
  try {
    await work(dataDir);
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
  await remove();
}

/** The program as a process of its own. */
export interface ProgramProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

/** Starts the program from its sources. */
export function startProgram(args: string[], environment?: NodeJS.ProcessEnv): ProgramProcess {
  return startScript('src/main.ts', args, environment);
}

/** Starts a TypeScript file. */
export function startScript(file: string, args: string[], environment?: NodeJS.ProcessEnv): ProgramProcess {
  return startNode([file, ...args], environment);
}

/** Starts Node.js; a shell takes it there, as with a limit of its own. */
export function startNode(args: string[], environment: NodeJS.ProcessEnv = {}, shell?: string): ProgramProcess {
  const [command, before] = shell === undefined ? [process.execPath, []] : ['sh', ['-c', shell, process.execPath]];
  const child = spawn(command, [...before, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const program = { child, stdout: () => stdout, stderr: () => stderr, ended };
  running.set(program, JSON.stringify([args, environment]));
  void ended.finally(() => running.delete(program));
  return program;
}

/** Waits until the program has said where it serves. */
export function serving(program: ProgramProcess): Promise<string> {
  return told(program, /(?:Serving|Mocking) region \w+ on (\S+)(?: with \d+ workers)?\n/);
}

/** Waits until a process has said something on stdout, and gives the first group of it. */
export async function told(program: ProgramProcess, text: RegExp): Promise<string> {
  const found = () => text.exec(program.stdout())?.[1];
  const said = () => `stdout: ${program.stdout()}, stderr: ${program.stderr()}`;
  await until(
    () => `The process says ${text}. ${said()}`,
    () => found() !== undefined || !running.has(program),
  );
  const group = found();
  if (group === undefined) throw new Error(`The process ended before it said ${text}. ${said()}`);
  return group;
}
