import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startWorkers } from '../../../src/runtime/workers/primary.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import { ListenError } from '../../../src/api/connections/listen.ts';
import type { Service } from '../../../src/runtime/service.ts';
import { openTemporaryStore } from '../../support/temporary-store.ts';

let service: Service | undefined;
const log: string[] = [];

beforeEach(() => {
  log.length = 0;
  cluster.setupPrimary({ exec: 'test/support/fake-worker.js', args: ['well'], execArgv: [] });
});
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(environment: NodeJS.ProcessEnv = {}): Promise<Service> {
  const store = openTemporaryStore();
  const logger = pino({ base: null }, { write: (line: string) => log.push((JSON.parse(line) as { msg: string }).msg) });
  service = await startWorkers(readConfig({ WORKERS: '2', ...environment }), { store, logger, now: () => new Date() });
  return service;
}

const pids = () => Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid);

test('the port is the one of the workers, and no operations port is opened unasked', async () => {
  expect(await start()).toMatchObject({ port: 4321, opsPort: undefined });
  expect(pids()).toHaveLength(2);
});

test('SIGHUP restarts the workers, and is left alone once they are closed', async () => {
  const started = await start();
  const before = pids();
  process.emit('SIGHUP');
  while (!log.includes('rolling restart: done')) await sleep(10);
  expect(pids()).toHaveLength(2);
  expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
  await started.close();
  expect(process.listenerCount('SIGHUP')).toBe(0);
});

test('SIGHUP before all workers serve restarts them when they do', async () => {
  const starting = start({ OPS_PORT: '0' });
  expect(process.emit('SIGHUP')).toBe(true);
  await starting;
  while (!log.includes('rolling restart: done')) await sleep(10);
  expect(pids()).toHaveLength(2);
});

test('the metrics get 503 while a worker does not tell its own', async () => {
  const { opsPort } = await start({ OPS_PORT: '0' });
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
  expect([response.status, await response.json()]).toEqual([503, { status: 'a worker does not tell its metrics' }]);
});

test('the operations port responds for all workers: ready while one of them serves', async () => {
  const started = await start({ OPS_PORT: '0', DRAIN_DELAY_SECONDS: '1' });
  const { opsPort } = started;
  const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  const closed = started.close();
  const draining = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
  expect([draining.status, await draining.json()]).toEqual([503, { status: 'not ready', not_ready: ['serving'] }]);
  expect(pids()).toHaveLength(2);
  await closed;
  service = undefined;
  expect(await started.notReady()).toEqual(['serving', 'workers']);
  await expect(fetch(`http://127.0.0.1:${opsPort}/readyz`)).rejects.toThrow();
});

test('no worker is left if the operations port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const port = String((other.address() as AddressInfo).port);
  await expect(start({ OPS_PORT: port })).rejects.toThrow(ListenError);
  expect(pids()).toEqual([]);
  expect(process.listenerCount('SIGHUP')).toBe(0);
  other.close();
});
