import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { WorkerPool } from '../../../src/runtime/workers/worker-pool.ts';

let log: { msg: string; reason?: string; signal?: string }[];
let logger: Logger;
let pool: WorkerPool | undefined;

beforeEach(() => {
  log = [];
  logger = pino({ base: null }, { write: (line: string) => log.push(JSON.parse(line) as (typeof log)[0]) });
  behave('well');
});
afterEach(async () => {
  await pool?.close();
});

/** Node.js lists a worker that has ended until its channel is closed, too, which may come later. */
const workers = () =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isDead() === false ? worker : []));
const pids = () => workers().map((worker: Worker) => worker.process.pid);
const messages = () => log.map(({ msg }) => msg);

async function start(size: number, stopMilliseconds = 5000): Promise<WorkerPool> {
  pool = new WorkerPool(size, stopMilliseconds, logger);
  expect(await pool.start()).toBe(4321);
  return pool;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

function behave(how: 'fails' | 'tells why it fails' | 'is killed' | 'stays' | 'lingers' | 'well'): void {
  cluster.setupPrimary({ exec: 'test/support/fake-worker.js', args: [how], execArgv: [] });
}

const ended = 'WorkerStartError: A worker process ended before it served (exit code 1)';

describe('workers', () => {
  test('all serve once they have started, and have all ended once they are closed', async () => {
    expect([(await start(3)).serving, pids().length]).toEqual([3, 3]);
    await pool?.close();
    expect([pool?.serving, pids()]).toEqual([0, []]);
    expect(messages()).toEqual([]);
  });

  test('that die are replaced, each time later, and the log says so', async () => {
    await start(2);
    for (let death = 0; death < 3; death += 1) {
      const [victim] = workers();
      victim?.process.kill('SIGKILL');
      await until(() => messages().filter((message) => message === 'a worker was replaced').length === death + 1);
    }
    expect([pool?.serving, pids().length]).toEqual([2, 2]);
    expect(log.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(3);
  });

  test.each([
    ['fails', `${ended}.`],
    ['tells why it fails', `${ended}: error: The port is in use.`],
  ] as const)('that cannot be replaced at first are replaced later: it %s', async (how, reason) => {
    await start(1);
    behave(how);
    workers()[0]?.process.kill('SIGKILL');
    await until(() => messages().includes('a worker could not be replaced; it is tried again'));
    behave('well');
    await until(() => messages().includes('a worker was replaced'));
    expect([pool?.serving, log[1]?.reason]).toEqual([1, reason]);
  });

  test('that die while all are closed stay dead', async () => {
    await start(1);
    behave('fails');
    const [worker] = workers();
    const dead = worker && once(worker, 'exit');
    worker?.process.kill('SIGKILL');
    await dead;
    await pool?.close();
    await sleep(100);
    expect(pids()).toEqual([]);
    expect(messages()).toEqual(['a worker has died and is replaced']);
  });

  test('that are ending when all are closed have ended then', async () => {
    behave('lingers');
    await start(2);
    await until(() => workers().every((worker) => !worker.isConnected()));
    expect(pids()).toHaveLength(2);
    await pool?.close();
    expect(pids()).toEqual([]);
  });

  test('that do not stop are killed', async () => {
    behave('stays');
    await start(2, 100);
    await pool?.close();
    expect(pids()).toEqual([]);
  });
});

describe('a rolling restart', () => {
  test('replaces every worker, and there are never fewer than wanted', async () => {
    const rolled = await start(3);
    const before = pids();
    let fewest = Infinity;
    const watch = setInterval(() => (fewest = Math.min(fewest, rolled.serving)), 1);
    await rolled.restart();
    clearInterval(watch);
    expect(fewest).toBe(3);
    expect(pids()).toHaveLength(3);
    expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
    expect(messages()).toEqual(['rolling restart: begun', 'rolling restart: done']);
  });

  test('that is asked for during another is made after it, once however often it was asked for', async () => {
    const rolled = await start(2);
    const first = rolled.restart().then(() => pids());
    await until(() => messages().includes('rolling restart: begun'));
    await Promise.all(Array.from({ length: 20 }, () => rolled.restart()));
    expect(pids()).toHaveLength(2);
    expect(messages()).toEqual([1, 2].flatMap(() => ['rolling restart: begun', 'rolling restart: done']));
    expect((await first).filter((pid) => pids().includes(pid))).toEqual([]);
  });

  test('is given up when a new worker cannot start, and the old ones serve on', async () => {
    const rolled = await start(2);
    const before = pids();
    behave('fails');
    await rolled.restart();
    expect(messages()).toEqual(['rolling restart: begun', 'rolling restart: given up, the other workers serve on']);
    expect(pids()).toEqual(before);
  });

  test('replaces a worker that dies meanwhile only once', async () => {
    const rolled = await start(2);
    const before = pids();
    const restarted = rolled.restart();
    for (const worker of workers().slice(0, 2)) worker.process.kill('SIGKILL');
    await restarted;
    await until(() => rolled.serving >= 2);
    await sleep(300);
    expect(rolled.serving).toBe(2);
    expect(pids().filter((pid) => before.includes(pid))).toEqual([]);
  });

  test('ends when all are closed', async () => {
    const rolled = await start(3);
    const restarted = rolled.restart();
    await rolled.close();
    await restarted;
    expect(pids()).toEqual([]);
  });
});
