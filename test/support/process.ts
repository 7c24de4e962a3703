import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { afterwards } from './afterwards.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from './tenants.ts';
import { until } from './until.ts';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Makes a data directory and hands it to `work`. */
export async function withDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  await work(await makeTemporaryFolder());
}

export interface ProgramProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

export function startProgram(args: string[], environment?: NodeJS.ProcessEnv): ProgramProcess {
  return startNode(['src/main.ts', ...args], environment);
}

/** Starts Node.js, and kills it after the tests of the file; a shell takes it there, as with a limit of its own. */
export function startNode(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  { shell, cwd }: { shell?: string; cwd?: string } = {},
): ProgramProcess {
  const [command, before] = shell === undefined ? [process.execPath, []] : ['sh', ['-c', shell, process.execPath]];
  const env = { ...process.env, ...environment };
  const child = spawn(command, [...before, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  running.add(child);
  void ended.finally(() => running.delete(child));
  afterwards(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export async function jsonOf<T>(args: string[], environment?: NodeJS.ProcessEnv): Promise<T> {
  return JSON.parse(await outputOf(startProgram([...args, '--json'], environment))) as T;
}

/** What a program has printed when it ends well. */
export async function outputOf({ child, ended, stdout, stderr }: ProgramProcess): Promise<string> {
  const code = await ended;
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}: ${stderr()}`);
  return stdout();
}

export async function stop(program: ProgramProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  program.child.kill(signal);
  await outputOf(program);
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

interface ServerOptions {
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** One of its own, if none is named. */
  readonly dataDir?: string;
  readonly file?: string;
}

/** Serves, in production unless the environment says otherwise. At last, it stops well. */
export async function startServer({ args = [], environment, file = 'src/main.ts', ...given }: ServerOptions = {}) {
  const dataDir = given.dataDir ?? (await makeTemporaryFolder());
  const command = [file, 'serve', '--port', '0', '--data-dir', dataDir, ...args];
  const program = startNode(command, { NODE_ENV: 'production', ...environment });
  afterwards(() => stop(program));
  return { ...program, url: await serving(program), dataDir };
}

/** Adds an organisation with a case to a data directory, and credentials to call each operation with. */
export async function addTenant(dataDir: string) {
  await mkdir(dataDir, { recursive: true });
  const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
  const organisationId = await addOrganisation(store);
  const tenant = {
    organisationId,
    key: await addApiKey(store, organisationId, 'owner'),
    token: await addAccessToken(store, organisationId),
    caseId: await addCase(store, organisationId),
  };
  await store.close();
  return tenant;
}

export function serving(program: ProgramProcess): Promise<string> {
  return told(program, /(?:Serving|Mocking) region \w+ on (\S+)\n/);
}

/** Waits until a process has said something on stdout, and gives the first group of it. */
export async function told(program: ProgramProcess, text: RegExp): Promise<string> {
  const found = () => text.exec(program.stdout())?.[1];
  const said = () => `stdout: ${program.stdout()}, stderr: ${program.stderr()}`;
  await until(
    () => `The process says ${text}. ${said()}`,
    () => found() !== undefined || !running.has(program.child),
  );
  const group = found();
  if (group === undefined) throw new Error(`The process ended before it said ${text}. ${said()}`);
  return group;
}

/** The processes of bounded jobs that a process has started and that have not ended. */
async function jobProcesses(starter: number | undefined): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parts = [readFile(`/proc/${name}/stat`, 'utf8'), readFile(`/proc/${name}/cmdline`, 'utf8')];
    const [stat = '', commandLine = ''] = await Promise.all(parts).catch(() => []);
    const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
    if (parent === starter && commandLine.includes('job-process')) pids.push(Number(name));
  }
  return pids;
}

export async function startedJobs(starter: number | undefined, count = 1): Promise<number[]> {
  let pids: number[] = [];
  await until(
    () => `process ${starter} has started ${count} bounded jobs, and ${pids.length} run`,
    async () => (pids = await jobProcesses(starter)).length >= count,
    5,
  );
  return pids;
}

export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // In ticks of a hundredth of a second.
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number) as [number, number];
  return (user + system) / 100;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** How many milliseconds of a processor some work takes: on a loaded machine it takes longer by the clock, but no more of that. */
export function processorMilliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
