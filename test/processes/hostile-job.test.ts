/** A job that has been taken over reaches nothing outside of its process, and leaves nothing behind. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { contained } from '../../src/analysis/bounded-process/containment.ts';
import { runBounded } from '../../src/analysis/bounded-process/run-bounded.ts';
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
afterEach(async () => {
  for (const server of servers) server.close();
  await folder.remove();
});

test('a job that tries everything is refused everything', async () => {
  const job = { module: new URL('../support/bounded-jobs/hostile.ts', import.meta.url), input: targets, packages };
  const outcome = await runBounded<Record<string, string>>(job, bounds);
  const damage = outcome.outcome === 'done' ? outcome.output : {};
  expect(Object.keys(damage).length).toBeGreaterThan(10);
  expect(new Set(Object.values(damage))).toEqual(new Set(['ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED']));
  expect(connections).toBe(0);
  await expect(access(join(folder.path, 'written'))).rejects.toThrow('ENOENT');
});

test('a job that may load compiled code is refused all else', async () => {
  const module = new URL('../support/bounded-jobs/hostile.ts', import.meta.url);
  const outcome = await runBounded<Record<string, string>>({ module, input: targets, packages, addons: true }, bounds);
  const { 'load a native add-on': loading, ...damage } = outcome.outcome === 'done' ? outcome.output : {};
  expect(loading).toBe('done');
  expect(new Set(Object.values(damage))).toEqual(new Set(['ERR_ACCESS_DENIED']));
  expect(connections).toBe(0);
});

test('where the system can, compiled code gets no network and no environment of the server, and fills no file', async () => {
  const script = new URL('../support/bounded-jobs/attack.ts', import.meta.url).pathname;
  const refusals = {
    'read the environment of the server': 'EACCES',
    'connect to a port': 'ENETUNREACH',
    'ask an HTTP server': 'ENETUNREACH',
    'fetch from an HTTP server': 'ENETUNREACH',
    'write a file': 'EFBIG',
  };
  const command = [process.execPath, script, JSON.stringify(targets), JSON.stringify(Object.keys(refusals))];
  const [file = '', ...args] = await contained(command, { processorSeconds: 30, mebibytesOfData: 4096 });
  if (!(await hasNamespaces())) return;
  const { stdout } = await promisify(execFile)(file, args);
  expect(JSON.parse(stdout)).toEqual(refusals);
  expect(connections).toBe(0);
});

function hasNamespaces(): Promise<boolean> {
  const [file, ...args] = ['setpriv', '--pdeathsig', 'KILL', 'unshare', '--user', '--net', 'true'];
  return promisify(execFile)(file, args).then(
    () => true,
    () => false,
  );
}
