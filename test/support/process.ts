import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a data directory, hands it to `work` and removes it, however that ends. */
export async function withDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'document-analysis-'));
  try {
    await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true });
  }
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
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Waits until the program has said where it serves. */
export function serving(program: ProgramProcess): Promise<string> {
  return told(program, /(?:Serving|Mocking) region \w+ on (\S+)(?: with \d+ workers)?\n/);
}

/** Waits until a process has said something on stdout, and gives the first group of it. */
export async function told(program: ProgramProcess, text: RegExp): Promise<string> {
  for (;;) {
    const found = text.exec(program.stdout())?.[1];
    if (found !== undefined) return found;
    if (program.child.exitCode !== null) throw new Error(`The process ended: ${program.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
