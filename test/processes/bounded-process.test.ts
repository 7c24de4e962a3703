/**
 * Whatever a job does, its process ends within its bounds, and the next one runs; one that has been taken over reaches nothing
 * outside of its process, and leaves nothing behind.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { contained } from '../../src/analysis/bounded-process/containment.ts';
import { receive } from '../../src/analysis/bounded-process/message.ts';
import {
  type BoundedJob,
  type BoundedOutcome,
  type Bounds,
  commandOf,
  runBounded,
} from '../../src/analysis/bounded-process/run-bounded.ts';
import type { Targets } from '../support/bounded-jobs/hostile.ts';
import { isAlive, processorSeconds, startedJobs, startNode } from '../support/process.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const beside = resolve('test/support/bounded-jobs/beside.ts');
const bombs = new URL('../support/bounded-jobs/bombs.ts', import.meta.url);
// Generous: on a machine that does much else, a process with a low priority waits.
const enough = { milliseconds: 100_000, processorSeconds: 60, mebibytes: 256 };

const run = (input: string, bounds: Partial<Bounds> = {}, signal?: AbortSignal): Promise<BoundedOutcome<unknown>> =>
  runBounded<unknown>({ module: bombs, input, maxBytes: 3 }, { ...enough, ...bounds }, signal);

const done = { outcome: 'done', output: 'result', bytes: Buffer.from([1, 2, 3]) };

afterEach(async () => {
  // What a job did leaves the next one alone.
  expect(await run('result')).toEqual(done);
});

test.each(['endless loop', 'endless native code', 'endless promise'])('%s: ended when its time is up', async (job) => {
  expect(await run(job, { milliseconds: 2000 })).toEqual({ outcome: 'too-slow' });
});

test.each(['endless loop', 'endless native code'])('%s: ended when its processor time is used up', async (job) => {
  expect(await run(job, { processorSeconds: 1 })).toEqual({ outcome: 'too-slow' });
});

const eaters = ['heap', 'large arrays', 'buffers', 'one buffer', 'one array, and nothing of it said'];

test.each(eaters)('%s: ended when its memory is used up', async (job) => {
  expect(await run(job)).toEqual({ outcome: 'too-much-memory' });
});

test('on Linux, a process stays within its memory though nothing watches it', async () => {
  if (process.platform !== 'linux') return;
  const script = `for (const kept = []; ; kept.push(new Uint8Array(2 ** 24).fill(1)))
    console.log(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]);`;
  const [file = '', ...args] = await contained([process.execPath, '-e', script], enough);
  const { stdout } = await promisify(execFile)(file, args).catch((error: unknown) => error as { stdout: string });
  const most = Math.max(...stdout.trim().split('\n').map(Number)) / 1024;
  expect(most).toBeGreaterThan(enough.mebibytes / 2);
  // It ended at the next array, which is not filled.
  expect(most).toBeLessThan(enough.mebibytes);
});

test('a job runs below a server that was started with a low priority', async () => {
  if (process.platform === 'win32') return;
  const command = ['-n', '15', process.execPath, '--no-warnings', beside, 'bounded', 'result'];
  const { stdout } = await promisify(execFile)('nice', command);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', output: 'result' });
});

test.each<[string, BoundedOutcome<unknown>]>([
  ['throw', { outcome: 'failed', message: 'Error: thrown by the job' }],
  ['crash', { outcome: 'failed', message: 'Its process ended with exit code 3.' }],
])('a job that fails with a %s says so', async (job, outcome) => {
  expect(await run(job)).toEqual(outcome);
});

test.each<[NodeJS.Signals, BoundedOutcome<unknown>]>([
  ['SIGSEGV', { outcome: 'failed', message: 'Its process ended with SIGSEGV.' }],
  ['SIGTRAP', { outcome: 'too-much-memory' }],
])('%s ends the process of a job', async (fatal, outcome) => {
  const running = run('endless loop');
  const [pid = 0] = await startedJobs(process.pid);
  process.kill(pid, fatal);
  expect(await running).toEqual(outcome);
});

test.each([
  ['long result', 'an outcome of 36 bytes and 4 more bytes'],
  ['endless zeros', 'an outcome of 0 bytes and 0 more bytes'],
  ['four gibibytes', 'an outcome of 4294967295 bytes and 4294967295 more bytes'],
])('%s: refused from its first bytes, and ended', async (job, sent) => {
  expect(await run(job)).toEqual({ outcome: 'failed', message: `Error: The job sent ${sent}.` });
});

test('a job is ended after its first message, and a long error is cut off', async () => {
  const taken = { outcome: 'done', output: 'taken over', bytes: Buffer.alloc(0) };
  expect(await run('a result, and an endless loop')).toEqual(taken);
  expect(await run('long error')).toEqual({ outcome: 'failed', message: `Error: ${'x'.repeat(993)}` });
});

test('a job sees nothing of the environment', async () => {
  expect(process.env).toHaveProperty('PATH');
  expect(await run('environment')).toMatchObject({ outcome: 'done', output: {} });
});

test('an aborted job is ended, and the reason thrown', async () => {
  const reason = new Error('no longer wanted');
  await expect(run('endless loop', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const running = run('endless loop', {}, controller.signal);
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a job is done, though %s to the whole process group ends its process before that can ignore it',
  async (signal) => {
    const running = run('late result');
    const [pid = 0] = await startedJobs(process.pid);
    process.kill(pid, signal);
    expect(await running).toEqual(done);
  },
);

test('without a file descriptor left, the caller is told that no process can be started', async () => {
  const script = startNode([beside, 'bounded, without a descriptor']);
  expect([await script.ended, script.stdout(), script.stderr()]).toEqual([0, '"EMFILE"', '']);
});

test('a job in an endless loop ends with its parent, however that ends', async () => {
  const parent = startNode([beside, 'bounded', 'endless loop']);
  const [pid = 0] = await startedJobs(parent.child.pid);
  // More than the process takes to begin with the job.
  await until('the job is in its loop', async () => (await processorSeconds(pid)) > 2);
  expect(isAlive(pid)).toBe(true);
  parent.child.kill('SIGKILL');
  await parent.ended;
  await until('the job has ended', () => !isAlive(pid));
});

describe('a job that has been taken over', () => {
  const packages = ['better-sqlite3'];
  const compiled = `prebuilds/${process.platform}-${process.arch}.node`;

  let folder: TemporaryFolder;
  let servers: Server[];
  let connections: number;
  let targets: Targets;

  beforeEach(async () => {
    folder = await TemporaryFolder.make();
    await folder.write('secret', 'of another organisation');
    const socket = join(folder.path, 'socket');
    connections = 0;
    servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(socket)];
    for (const server of servers)
      server.on('connection', () => (connections += 1)).on('request', (_, response) => response.end());
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const [{ port }] = servers.map((server) => server.address()) as [AddressInfo, string];
    const addon = join(dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json')), compiled);
    targets = { server: process.pid, folder: folder.path, port, socket, addon };
  });
  afterEach(() => {
    for (const server of servers) server.close();
  });

  const hostile = new URL('../support/bounded-jobs/hostile.ts', import.meta.url);

  type Damage = Record<string, string>;

  const bounded = async (job: BoundedJob): Promise<Damage> => {
    const outcome = await runBounded<Damage>(job, enough);
    return outcome.outcome === 'done' ? outcome.output : {};
  };
  const unrestricted = async (job: BoundedJob): Promise<Damage> => {
    const [file = '', ...args] = commandOf(job, enough);
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const message = await receive(child.stdio[3] as Readable, 0);
    child.kill('SIGKILL');
    return (message?.outcome as { output: Damage } | undefined)?.output ?? {};
  };

  test.each([
    ['in a bounded process', bounded],
    ['without the restrictions of the system', unrestricted],
  ])('is refused everything that it tries %s', async (_, run) => {
    const { 'node:sqlite': database, ...damage } = await run({ module: hostile, input: targets, packages });
    expect(database).toMatch('undefined');
    expect(Object.keys(damage).length).toBeGreaterThan(35);
    const refused = ['ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED'];
    expect(Object.entries(damage).filter(([, verdict]) => !refused.includes(verdict))).toEqual([]);
    expect(connections).toBe(0);
    await expect(access(join(folder.path, 'written'))).rejects.toThrow('ENOENT');
  });

  test('without bounds does what it tries', async () => {
    const args = ['--no-warnings', beside, 'unbounded', hostile.href, JSON.stringify(targets)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path });
    const tried = Object.entries(JSON.parse(stdout) as Damage);
    expect(tried.filter(([, verdict]) => verdict !== 'done')).toEqual([]);
  });

  test('that may load compiled code is refused all else', async () => {
    const done = await bounded({ module: hostile, input: targets, packages, addons: true });
    const { 'load a native add-on': loading, 'node:sqlite': database, ...damage } = done;
    expect([loading, database]).toEqual(['done', expect.stringContaining('undefined')]);
    expect(new Set(Object.values(damage))).toEqual(new Set(['ERR_ACCESS_DENIED']));
    expect(connections).toBe(0);
  });

  test('where the system can, compiled code gets no network and no environment of the server, and fills no file', async () => {
    const refusals = {
      'read the environment of the server': 'EACCES',
      'connect to a port': 'ENETUNREACH',
      http: 'ENETUNREACH',
      'fetch from an HTTP server': 'ENETUNREACH',
      'write a file': 'EFBIG',
    };
    const given = [hostile.href, JSON.stringify(targets), JSON.stringify(Object.keys(refusals))];
    const command = [process.execPath, beside, 'unbounded', ...given];
    const [file = '', ...args] = await contained(command, { processorSeconds: 30, mebibytes: 512 });
    const namespaces = ['--pdeathsig', 'KILL', 'unshare', '--user', '--net', 'true'];
    if (spawnSync('setpriv', namespaces).status !== 0) return;
    const { stdout } = await promisify(execFile)(file, args);
    expect(JSON.parse(stdout)).toEqual(refusals);
    expect(connections).toBe(0);
  });
});
