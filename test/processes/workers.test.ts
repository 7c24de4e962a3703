import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { settingPath } from '../support/harness.ts';
import { type ProgramProcess, serving, startProgram, withDataDir } from '../support/process.ts';
import { freePort } from '../../scripts/free-port.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

const started: ProgramProcess[] = [];
afterEach(() => {
  for (const { child } of started.splice(0)) child.kill('SIGKILL');
});

interface Served {
  readonly program: ProgramProcess;
  readonly url: string;
  readonly store: Store;
  readonly organisationId: string;
  readonly key: string;
  /** The lines of the log so far. */
  readonly log: () => { msg: string; reason?: string; worker?: number; status?: number; level: number }[];
}

/** Serves with two workers on data of their own. */
async function serve(environment: NodeJS.ProcessEnv, work: (served: Served) => Promise<void>, port = 0): Promise<void> {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
    const organisationId = await addOrganisation(store);
    const key = await addApiKey(store, organisationId, 'owner');
    const args = ['serve', '--port', String(port), '--workers', '2', '--data-dir', dataDir];
    const program = startProgram(args, environment);
    started.push(program);
    const url = await serving(program);
    const log = (): ReturnType<Served['log']> =>
      program
        .stderr()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as ReturnType<Served['log']>[0]);
    await work({ program, url, store, organisationId, key, log });
    await store.close();
  });
}

async function stop({ child, ended }: ProgramProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

/** Reads the setting again and again with several clients while `work` runs, and gives the status of each response. */
async function underLoad({ url, key }: Served, work: () => Promise<void>): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  let working = true;
  const client = async () => {
    while (working)
      seen.push(
        await fetch(url + settingPath, { headers: { 'x-api-key': key } }).then(
          async (response) => response.text().then(() => response.status),
          (error: unknown) => `${String(error)} ${String((error as Error).cause)}`,
        ),
      );
  };
  const clients = Array.from({ length: 8 }, client);
  await work().finally(() => (working = false));
  await Promise.all(clients);
  return seen;
}

/** The process ids of a program's workers. */
function workersOf({ program }: Served): number[] {
  const processes = execFileSync('ps', ['-axo', 'pid=,ppid=,args=']).toString().split('\n');
  return processes.flatMap((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return Number(parent) === program.child.pid && args.join(' ').includes('src/main.ts') ? [Number(pid)] : [];
  });
}

function killOneWorker(served: Served): void {
  const [worker] = workersOf(served);
  if (worker === undefined) throw new Error('There is no worker.');
  process.kill(worker, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The numbers of the workers that the log knows. */
const numbersOf = ({ log }: Served) => new Set(log().flatMap(({ worker }) => (worker === undefined ? [] : [worker])));

test('serve on one port, count together without Redis, and all end with 0', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '50', RATE_LIMIT_WINDOW_SECONDS: '600' }, async (served) => {
    const headers = { 'x-api-key': served.key };
    const responses = await Promise.all(Array.from({ length: 90 }, () => fetch(served.url + settingPath, { headers })));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const remaining = responses.flatMap(({ status, headers: got }) => (status === 200 ? [got.get('ratelimit')] : []));
    expect(new Set(remaining).size).toBe(50);
    expect(served.program.stdout()).toMatch(/^Serving region uk on http:\/\/127\.0\.0\.1:\d+ with 2 workers\n/);
    await stop(served.program);
    expect([...numbersOf(served)].sort()).toEqual([1, 2]);
  });
});

test('that are restarted by SIGHUP lose no request', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '1000000' }, async (served) => {
    const restarted = () => served.log().filter(({ msg }) => msg === 'rolling restart: done').length;
    const responses = await underLoad(served, async () => {
      for (let times = 1; times <= 2; times += 1) {
        served.program.child.kill('SIGHUP');
        while (restarted() < times) await sleep(50);
      }
      await sleep(200);
    });
    expect(responses.length).toBeGreaterThan(100);
    expect(responses.filter((response) => response !== 200)).toEqual([]);
    expect(numbersOf(served).size).toBeGreaterThan(4);
    await stop(served.program);
    expect(served.log().filter(({ level }) => level > 30)).toEqual([]);
  });
}, 300_000);

test('that are killed are replaced, and the others serve on', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '1000000' }, async (served) => {
    const replaced = () => served.log().filter(({ msg }) => msg === 'a worker was replaced').length;
    for (let times = 1; times <= 2; times += 1)
      await underLoad(served, async () => {
        killOneWorker(served);
        while (replaced() < times) await sleep(50);
      });
    const responses = await underLoad(served, () => sleep(500));
    expect(responses.filter((response) => response !== 200)).toEqual([]);
    await stop(served.program);
  });
}, 300_000);

test('that are replaced make no new database in place of one that was removed, and the log says why, in JSON', async () => {
  await serve({}, async (served) => {
    const file = served.store.name;
    const removed = `${dirname(file)}-removed`;
    renameSync(dirname(file), removed);
    killOneWorker(served);
    const reasons = () => served.log().flatMap(({ reason = '' }) => reason);
    while (!reasons().join('\n').includes('cannot be opened')) await sleep(20);
    const responses = await underLoad(served, () => sleep(2_000));
    expect(responses.filter((response) => response === 401)).toEqual([]);
    expect(existsSync(dirname(file))).toBe(false);
    renameSync(removed, dirname(file));
    await stop(served.program);
  });
}, 300_000);

test('that are all killed at once serve again on their port', async () => {
  const port = await freePort();
  await serve(
    { RATE_LIMIT_REQUESTS: '1000000' },
    async (served) => {
      for (const worker of workersOf(served)) process.kill(worker, 'SIGKILL');
      while (served.log().filter(({ msg }) => msg === 'a worker was replaced').length < 2) await sleep(50);
      const responses = await underLoad(served, () => sleep(500));
      expect(responses.filter((response) => response !== 200)).toEqual([]);
      await stop(served.program);
    },
    port,
  );
}, 300_000);

test('that update at the same time leave one audit entry for each, in one order', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '1000000' }, async (served) => {
    const headers = { 'x-api-key': served.key, 'content-type': 'application/json' };
    const update = async (enabled: boolean) => {
      const init = { method: 'PUT', headers, body: JSON.stringify({ enabled }) };
      return (await fetch(served.url + settingPath, init)).status;
    };
    const clients = Array.from({ length: 16 }, async (_none, client) => {
      const seen: number[] = [];
      for (let times = 0; times < 15; times += 1) seen.push(await update((client + times) % 2 === 0));
      return seen;
    });
    expect((await Promise.all(clients)).flat()).toEqual(Array(240).fill(200));
    const entries = (await served.store.listAuditEntries({ limit: 1000 })).filter(isSettingUpdate).reverse();
    expect(entries).toHaveLength(240);
    let held = false;
    for (const { before, after } of entries) {
      expect(before).toEqual({ enabled: held });
      held = after.enabled;
    }
    expect(await served.store.readVerificationSetting(served.organisationId)).toEqual(held);
    expect(numbersOf(served).size).toBe(2);
    await stop(served.program);
  });
}, 300_000);

test('whose primary is killed end too', async () => {
  await serve({}, async (served) => {
    const workers = workersOf(served);
    expect(workers).toHaveLength(2);
    served.program.child.kill('SIGKILL');
    expect(await served.program.ended).toBe('SIGKILL');
    while (workers.some(isAlive)) await sleep(20);
  });
});

test('that cannot listen say so once, like a single process', async () => {
  await withDataDir(async (dataDir) => {
    const port = await freePort();
    const args = ['--port', String(port), '--data-dir', dataDir];
    const first = startProgram(['serve', ...args]);
    started.push(first);
    await serving(first);
    const second = startProgram(['serve', '--workers', '2', ...args]);
    started.push(second);
    expect(await second.ended).toBe(1);
    expect([second.stdout(), second.stderr()]).toEqual([
      '',
      `error: Cannot listen on 127.0.0.1: the port ${port} is in use. ` +
        'Choose another address with --host and --port (HOST, PORT).\n',
    ]);
    await stop(first);
  });
});

test('have one operations port, with the metrics of all', async () => {
  const port = await freePort();
  await serve({ OPS_PORT: String(port) }, async (served) => {
    const headers = { 'x-api-key': served.key };
    for (let times = 0; times < 6; times += 1)
      expect((await fetch(served.url + settingPath, { headers })).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const counted = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^http_server_request_duration_seconds_count\{.*status="200"\} (\d+)$/m.exec(text)?.[1];
    };
    expect(await counted()).toBe('6');
    killOneWorker(served);
    while (!served.log().some(({ msg }) => msg === 'a worker has died and is replaced')) await sleep(20);
    expect((await counted()) ?? '0').toMatch(/^[0-6]$/);
    await stop(served.program);
  });
});
