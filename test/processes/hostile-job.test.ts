/** A job that has been taken over reaches nothing outside of its process, and leaves nothing behind. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { Readable } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { contained } from '../../src/analysis/bounded-process/containment.ts';
import { receive } from '../../src/analysis/bounded-process/message.ts';
import { type BoundedJob, commandOf, runBounded } from '../../src/analysis/bounded-process/run-bounded.ts';
import type { Targets } from '../support/bounded-jobs/hostile.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const bounds = { milliseconds: 100_000, processorSeconds: 60, mebibytes: 256 };
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
const beside = new URL('../support/bounded-jobs/beside.ts', import.meta.url).pathname;

type Damage = Record<string, string>;

const ways: Record<string, (job: BoundedJob) => Promise<Damage>> = {
  'in a bounded process': async (job) => {
    const outcome = await runBounded<Damage>(job, bounds);
    return outcome.outcome === 'done' ? outcome.output : {};
  },
  'without the restrictions of the system': async (job) => {
    const [file = '', ...args] = commandOf(job, bounds);
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const message = await receive(child.stdio[3] as Readable, 0);
    child.kill('SIGKILL');
    return (message?.outcome as { output: Damage } | undefined)?.output ?? {};
  },
};

test.each(Object.keys(ways))('a job that tries everything is refused everything %s', async (way) => {
  const { 'node:sqlite': database, ...damage } =
    (await ways[way]?.({ module: hostile, input: targets, packages })) ?? {};
  expect(database).toMatch('undefined');
  expect(Object.keys(damage).length).toBeGreaterThan(35);
  const refused = ['ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED'];
  expect(Object.entries(damage).filter(([, verdict]) => !refused.includes(verdict))).toEqual([]);
  expect(connections).toBe(0);
  await expect(access(join(folder.path, 'written'))).rejects.toThrow('ENOENT');
});

test('without bounds, each of the acts does what it is tried for', async () => {
  const args = ['--no-warnings', beside, 'unbounded', hostile.href, JSON.stringify(targets)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path });
  const tried = Object.entries(JSON.parse(stdout) as Damage);
  expect(tried.filter(([, verdict]) => verdict !== 'done')).toEqual([]);
});

test('a job that may load compiled code is refused all else', async () => {
  const job = { module: hostile, input: targets, packages, addons: true };
  const outcome = await runBounded<Record<string, string>>(job, bounds);
  const done = outcome.outcome === 'done' ? outcome.output : {};
  const { 'load a native add-on': loading, 'node:sqlite': database, ...damage } = done;
  expect(loading).toBe('done');
  expect(database).toMatch('undefined');
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
