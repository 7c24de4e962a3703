import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { settingPath } from '../support/harness.ts';
import { isAlive, type ProgramProcess, serving, startProgram, stop, told, withDataDir } from '../support/process.ts';
import { freePort } from '../../scripts/free-port.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { until } from '../support/until.ts';

/** A line of the log. */
interface Line {
  readonly msg: string;
  readonly reason?: string;
  readonly worker?: number;
  readonly status?: number;
  readonly level: number;
}

interface Served {
  readonly program: ProgramProcess;
  readonly url: string;
  readonly store: Store;
  readonly organisationId: string;
  readonly key: string;
  /** The lines of the log so far. */
  readonly log: () => Line[];
}

/** Serves with two workers on data of their own. */
async function serve(environment: NodeJS.ProcessEnv, work: (served: Served) => Promise<void>, port = 0): Promise<void> {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
    const organisationId = await addOrganisation(store);
    const key = await addApiKey(store, organisationId, 'owner');
    const args = ['serve', '--port', String(port), '--workers', '2', '--data-dir', dataDir];
    const program = startProgram(args, environment);
    const url = await serving(program);
    const log = () => program.stderr().split('\n').slice(0, -1).map(parseLine);
    await work({ program, url, store, organisationId, key, log });
    await store.close();
  });
}

/** @throws naming a line that is no JSON */
function parseLine(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (error) {
    throw new Error(`The log has a line that is no JSON: ${line}`, { cause: error });
  }
}

/** Waits until the log has so many lines with a message. */
async function logged({ log, program }: Served, message: string, times = 1): Promise<void> {
  const count = () => log().filter(({ msg }) => msg === message).length;
  await until(
    () => `the log says "${message}" ${times} times\n${program.stderr()}`,
    () => count() >= times,
  );
}

/**
 * Reads the setting again and again with several clients while `work` runs, and gives the status of each response. Half of
 * them connect for each request, so that every worker gets some.
 */
async function underLoad({ url, key }: Served, work: () => Promise<void>): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  let working = true;
  const client = async (_none: unknown, index: number) => {
    const headers = { 'x-api-key': key, ...(index % 2 === 0 && { connection: 'close' }) };
    while (working)
      seen.push(
        await fetch(url + settingPath, { headers }).then(
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

/** The numbers of the workers that the log knows. */
const numbersOf = ({ log }: Served) => new Set(log().flatMap(({ worker }) => (worker === undefined ? [] : [worker])));

test('serve on one port, count together without Redis, and all end with 0', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '50', RATE_LIMIT_WINDOW_SECONDS: '600' }, async (served) => {
    // One connection for each request, not all at once: a single worker might accept them all.
    const headers = { 'x-api-key': served.key, connection: 'close' };
    const nine = async () => {
      const responses: Response[] = [];
      while (responses.length < 9) responses.push(await fetch(served.url + settingPath, { headers }));
      return responses;
    };
    const responses = (await Promise.all(Array.from({ length: 10 }, nine))).flat();
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
    const responses = await underLoad(served, async () => {
      for (let times = 1; times <= 2; times += 1) {
        served.program.child.kill('SIGHUP');
        await logged(served, 'rolling restart: done', times);
      }
      await sleep(200);
    });
    expect(responses.length).toBeGreaterThan(100);
    expect(responses.filter((response) => response !== 200)).toEqual([]);
    await stop(served.program);
    expect(numbersOf(served).size).toBeGreaterThan(4);
    expect(served.log().filter(({ level }) => level > 30)).toEqual([]);
  });
});

test('that are killed are replaced, and the others serve on', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '1000000' }, async (served) => {
    for (let times = 1; times <= 2; times += 1)
      await underLoad(served, async () => {
        killOneWorker(served);
        await logged(served, 'a worker was replaced', times);
      });
    const responses = await underLoad(served, () => sleep(500));
    expect(responses.filter((response) => response !== 200)).toEqual([]);
    await stop(served.program);
  });
});

test('that are replaced make no new database in place of one that was removed, and the log says why, in JSON', async () => {
  await serve({}, async (served) => {
    const file = served.store.name;
    const removed = `${dirname(file)}-removed`;
    renameSync(dirname(file), removed);
    try {
      killOneWorker(served);
      await until(
        () => `the log says why no worker starts\n${served.program.stderr()}`,
        () => served.log().some(({ reason }) => reason?.includes('cannot be opened')),
      );
      const responses = await underLoad(served, () => sleep(2_000));
      expect(responses.filter((response) => response === 401)).toEqual([]);
      expect(existsSync(dirname(file))).toBe(false);
    } finally {
      renameSync(removed, dirname(file));
    }
    await stop(served.program);
  });
});

test('that are all killed at once serve again on their port', async () => {
  const port = await freePort();
  await serve(
    { RATE_LIMIT_REQUESTS: '1000000' },
    async (served) => {
      for (const worker of workersOf(served)) process.kill(worker, 'SIGKILL');
      await logged(served, 'a worker was replaced', 2);
      const responses = await underLoad(served, () => sleep(500));
      expect(responses.filter((response) => response !== 200)).toEqual([]);
      await stop(served.program);
    },
    port,
  );
});

test('that update at the same time leave one audit entry for each, in one order', async () => {
  await serve({ RATE_LIMIT_REQUESTS: '1000000' }, async (served) => {
    const headers = { 'x-api-key': served.key, 'content-type': 'application/json', connection: 'close' };
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
    await stop(served.program);
    expect(numbersOf(served).size).toBe(2);
  });
});

test('whose primary is killed end too', async () => {
  await serve({}, async (served) => {
    const workers = workersOf(served);
    expect(workers).toHaveLength(2);
    served.program.child.kill('SIGKILL');
    expect(await served.program.ended).toBe('SIGKILL');
    await until('the workers have ended', () => !workers.some(isAlive));
  });
});

test('have one operations port, with the metrics of all', async () => {
  await serve({ OPS_PORT: '0' }, async (served) => {
    const ops = await told(served.program, /Probes and metrics on (\S+)\n/);
    const headers = { 'x-api-key': served.key };
    for (let times = 0; times < 6; times += 1)
      expect((await fetch(served.url + settingPath, { headers })).status).toBe(200);
    expect((await fetch(`${ops}/readyz`)).status).toBe(200);
    const metrics = async () => (await fetch(`${ops}/metrics`)).text();
    expect(await metrics()).toContain('\nfile_analysis_waiting_files 0\n');
    const counted = async () => {
      const text = await metrics();
      return /^http_server_request_duration_seconds_count\{.*status="200"\} (\d+)$/m.exec(text)?.[1];
    };
    expect(await counted()).toBe('6');
    killOneWorker(served);
    await logged(served, 'a worker has died and is replaced');
    expect((await counted()) ?? '0').toMatch(/^[0-6]$/);
    await stop(served.program);
  });
});
