/** The servers that are measured, and how they are started and stopped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../scripts/free-port.ts';
import { compiledFile, folders, pinned } from './machine.ts';

export interface BenchServer {
  readonly name: string;
  readonly title: string;
  /** The workloads that it supports; all if undefined. */
  readonly workloads?: readonly string[];
  /** Whether its responses are not those of the document. */
  readonly isBare?: true;
  readonly args: readonly string[];
  /** In addition to what every server is given. */
  readonly environment?: NodeJS.ProcessEnv;
  /** How many processes serve the same data, each on a port of its own; one if undefined. */
  readonly processes?: number;
}

const peer = (name: string, title: string): BenchServer => ({
  name,
  title,
  args: [compiledFile(`servers/${name}.ts`)],
});

const ours: BenchServer = {
  name: 'ours',
  title: 'this server',
  args: [join(folders.repository, 'dist/main.js'), 'serve', '--region', 'uk'],
  // As the image sets them.
  environment: {
    NODE_OPTIONS: /NODE_OPTIONS=(\S+)/.exec(readFileSync(join(folders.repository, 'Dockerfile'), 'utf8'))?.[1],
  },
};

export const benchServers = {
  ours,
  limit: {
    ...peer('limit', 'the limit'),
    // It cannot send a case that does not fit into memory.
    workloads: ['read-setting', 'update-setting', 'bad-body', 'bad-key', 'case-10', 'case-10-any', 'case-1000', 'mix'],
  },
  fastify: peer('fastify', 'Fastify'),
  stock: peer('stock', 'Express + EOV + openapi-backend'),
  node: {
    name: 'node',
    title: 'bare Node.js',
    isBare: true,
    args: ['--eval', "http.createServer((_, r) => r.end()).listen(process.env.PORT, '127.0.0.1')"],
  },
} as const satisfies Record<string, BenchServer>;

/** This server, and its limit, on a database of PostgreSQL. */
export function postgresServers(url: string): BenchServer[] {
  const environment = { DATABASE_URL: url, DATABASE_POOL_SIZE: '10' };
  const bare = { ...peer('bare-postgres', 'bare node:http and pg'), isBare: true, environment } as const;
  return [
    { ...bare, workloads: ['read-setting', 'bad-key', 'case-10'] },
    { ...ours, environment: { ...ours.environment, ...environment } },
  ];
}

/** Two processes of this server: each counts for itself, or both in Redis. */
export function twoProcesses(redisUrl: string): BenchServer[] {
  const two = { ...ours, name: 'two', title: 'two processes', processes: 2 };
  const environment = { ...two.environment, REDIS_URL: redisUrl };
  return [two, { ...two, name: 'two-redis', title: 'two processes and Redis', environment }];
}

/** A running server; of several processes, the place of a port and that of its process are the same. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;

type StartOptions = Readonly<{ core: number | undefined; signal: AbortSignal }>;

/** Higher than any run can reach: requests are counted, but never refused. */
const unreachable = '1000000000';
const limits = {
  RATE_LIMIT_REQUESTS: unreachable,
  RATE_LIMIT_FAILED_AUTHENTICATIONS: unreachable,
  RATE_LIMIT_PUBLIC_REQUESTS: unreachable,
};

const startSeconds = 60;
const stopSeconds = 15;

/**
 * Starts a server with a copy of the data, and resolves when it accepts connections.
 * @throws {Error} if it does not; the message ends with its output
 */
export async function startServer(server: BenchServer, databaseFile: string | undefined, on: StartOptions) {
  const folder = join(folders.reports, 'run', String(await freePort()));
  const ownFile = join(folder, 'document-analysis-uk.sqlite');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (databaseFile !== undefined) await copyFile(databaseFile, ownFile, constants.COPYFILE_FICLONE);
  const given = { DATA_DIR: folder, DATABASE_FILE: ownFile, LOG_FILE: join(folder, 'log') };
  const started: Awaited<ReturnType<typeof startProcess>>[] = [];
  const stop = async () => {
    for (const each of started) await each.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    while (started.length < (server.processes ?? 1)) started.push(await startProcess(server, given, on));
  } catch (error) {
    await stop();
    throw error;
  }
  const [ports, pids] = [started.map(({ port }) => port), started.map(({ pid }) => pid)];
  return { ports, pids, startMilliseconds: started[0]?.startMilliseconds ?? NaN, stop };
}

async function startProcess(server: BenchServer, given: { LOG_FILE: string }, { core, signal }: StartOptions) {
  const port = await freePort();
  const log = openSync(given.LOG_FILE, 'a');
  const [command = '', ...args] = pinned(core, [process.execPath, ...server.args]);
  // Only what is needed to find programs, so that the settings of the caller's shell have no influence.
  const { PATH, HOME } = process.env;
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: folders.repository,
    env: { PATH, HOME, NODE_ENV: 'production', PORT: String(port), ...limits, ...given, ...server.environment },
    stdio: ['ignore', log, log],
    // A group of its own, so that Ctrl-C stops the run in its own order, and no process of the server is left.
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = () => {
    if (isRunning() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const stop = async () => {
    if (isRunning()) child.kill('SIGTERM');
    const timeout = setTimeout(kill, stopSeconds * 1000);
    await ended;
    clearTimeout(timeout);
    process.off('exit', kill);
  };
  while (!(await accepts(port))) {
    if (isRunning() && !signal.aborted && performance.now() < startedAt + startSeconds * 1000) continue;
    const output = readFileSync(given.LOG_FILE, 'utf8').trim().split('\n').slice(-15).join('\n');
    await stop();
    signal.throwIfAborted();
    throw new Error(`The server ${server.name} accepts no connections:\n${output}`);
  }
  // Up to the first connection that it accepts.
  return { port, pid: Number(child.pid), startMilliseconds: performance.now() - startedAt, stop };
}

/** Whether something accepts connections, tried every millisecond. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    await sleep(1);
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Compiles the peers and the load generator to JavaScript, so that no compiler affects the memory and time of a
 * measured process. Packages are not bundled, as in the program itself.
 */
export async function compileProcesses(): Promise<void> {
  const { build } = await import('esbuild');
  await rm(folders.compiled, { recursive: true, force: true });
  const servers = (await readdir(join(folders.bench, 'servers'))).map((name) => join('servers', name));
  await build({
    entryPoints: [...servers, 'load.ts'].map((file) => join(folders.bench, file)),
    outbase: folders.bench,
    outdir: folders.compiled,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
}
