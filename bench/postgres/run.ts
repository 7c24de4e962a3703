import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { badKeys, readCases, readSettings, type TimedRequest, updateSettings } from '../growth/requests.ts';
import { createPostgresStore } from '../growth/postgres-store.ts';
import { timeRequests } from '../growth/time.ts';
import { startServer } from '../server-process.ts';
import { type BenchServer, serverNamed } from '../servers.ts';
import type { Cores } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import { cpuSeconds } from '../support/proc.ts';

export interface PostgresOptions {
  readonly rounds: number;
  /** The duration of each workload on each server in a round. */
  readonly seconds: number;
  readonly connections: number;
  readonly poolSize: number;
  readonly cores: Cores;
}

/** The measurement of one server under one workload in one round. */
export interface Sample {
  readonly server: string;
  readonly workload: string;
  readonly requestsPerSecond: number;
  readonly p99: number;
  /** The processor time per request, in microseconds: of the server, and of the database. */
  readonly serverMicroseconds: number;
  readonly databaseMicroseconds: number;
}

const cases = 1000;
const filesOfEach = 10;

/** The baseline of the comparison. */
export const bare: BenchServer = {
  name: 'bare-postgres',
  title: 'bare node:http and pg',
  does: 'one prepared statement a request',
  workloads: ['read the setting', 'refuse a bad key', 'read a case'],
  headers: [],
  command: () => [process.execPath, join(folders.bench, 'postgres/bare.ts')],
  environment: ({ port }) => ({ PORT: String(port) }),
};

/** The compared servers, on the same database and cores. */
export const servers: readonly BenchServer[] = [bare, serverNamed('ours')];

/**
 * Sends the same requests to each server, in rounds.
 * @throws {Error} if there is no PostgreSQL, or a server responds wrongly
 */
export async function measurePostgres(
  compared: readonly BenchServer[],
  { rounds, seconds, connections, poolSize, cores }: PostgresOptions,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Sample[]> {
  const store = await createPostgresStore();
  const folder = join(folders.reports, 'postgres');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const running: (Awaited<ReturnType<typeof startServer>> & { server: BenchServer })[] = [];
  const samples: Sample[] = [];
  try {
    const owned = await store.add(cases, filesOfEach, cases);
    await store.settle();
    const workloads = new Map<string, readonly TimedRequest[]>([
      ['read the setting', readSettings(store.tenants)],
      ['refuse a bad key', badKeys()],
      ['read a case', readCases(owned)],
      ['update the setting', updateSettings(store.tenants)],
    ]);
    for (const server of compared) {
      const environment: BenchServer['environment'] = (place) => ({
        ...server.environment(place),
        ...store.environment,
        DATABASE_POOL_SIZE: String(poolSize),
      });
      const data = { folder: join(folder, server.name), databaseFile: '' };
      await mkdir(data.folder, { recursive: true, mode: 0o700 });
      running.push({
        server,
        ...(await startServer({ ...server, environment }, data, { core: cores.server, signal })),
      });
    }
    const databaseUrl = store.environment['DATABASE_URL'];
    // The first round compiles the code and is not counted.
    for (let round = 0; round <= rounds; round += 1)
      for (const [workload, requests] of workloads)
        for (const { server, origin, pid } of running) {
          signal.throwIfAborted();
          if (server.workloads?.includes(workload) === false) continue;
          const spent = async () => [cpuSeconds([pid]), cpuSeconds(await backendsOf(databaseUrl))] as const;
          const before = await spent();
          const timing = await timeRequests(Number(new URL(origin).port), requests, {
            times: Infinity,
            seconds: round === 0 ? Math.min(seconds, 2) : seconds,
            connections,
          });
          const after = await spent();
          if (round === 0) continue;
          const each = (index: 0 | 1) => ((after[index] - before[index]) / timing.times) * 1e6;
          const { requestsPerSecond, p99 } = timing;
          const sample = { requestsPerSecond, p99, serverMicroseconds: each(0), databaseMicroseconds: each(1) };
          samples.push({ server: server.name, workload, ...sample });
          tell(
            `round ${round}: ${workload}: ${server.name}: ${requestsPerSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms, ` +
              `${each(0).toFixed(0)} us in the server, ${each(1).toFixed(0)} us in PostgreSQL`,
          );
        }
    return samples;
  } finally {
    for (const { stop } of running) await stop();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The PostgreSQL processes that serve a database, except the one that runs this query. */
async function backendsOf(url: string | undefined): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}
