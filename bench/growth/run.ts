import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../server-process.ts';
import { type BenchServer, serverNamed } from '../servers.ts';
import type { Cores } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import {
  badBodies,
  badKeys,
  missingCases,
  readCases,
  readSettings,
  type TimedRequest,
  updateSettings,
} from './requests.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { Engine, GrowingStore, OwnedCase } from './store.ts';
import { type Duration, timeRequests, type Timing } from './time.ts';

export interface GrowthOptions {
  readonly engine: Engine;
  /** The sizes to which the store grows, in cases. */
  readonly caseCounts: readonly number[];
  readonly fileCounts: readonly number[];
  readonly connectionCounts: readonly number[];
  readonly duration: Duration;
  /** This process is pinned to the core of the load generator. */
  readonly cores: Cores;
}

export type Axis = 'cases' | 'files' | 'connections';

/** A point of a curve. */
export interface Point extends Timing {
  readonly axis: Axis;
  readonly operation: string;
  /** The number of cases, of files in a case, or of connections. */
  readonly at: number;
}

export interface Growth {
  readonly points: readonly Point[];
  /** By number of cases: the size of the store on disk. */
  readonly storeBytes: Readonly<Record<number, number>>;
}

const filesOfUsualCase = 10;
const sampledCases = 500;
const toldCases = 100_000;
/** Read first, so that the measured first reads are not those of a server that has just started. */
const warmUpCases = 200;

/**
 * Times the operations while the store grows, then by the size of a case, then by the number of connections.
 * @throws {Error} if the store cannot be made, the server does not start or responds wrongly, or the signal aborts
 */
export async function measureGrowth(
  options: GrowthOptions,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Growth> {
  const { engine, caseCounts, fileCounts, connectionCounts, duration, cores } = options;
  const folder = join(folders.reports, 'growth');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  tell(`Making an empty store (${engine})`);
  const store =
    engine === 'sqlite'
      ? await createSqliteStore(folder)
      : await (await import('./postgres-store.ts')).createPostgresStore();
  const points: Point[] = [];
  const storeBytes: Record<number, number> = {};

  const take = async (
    port: number,
    axis: Axis,
    operation: string,
    at: number,
    requests: readonly TimedRequest[],
    how: Partial<Duration> & { connections?: number } = {},
  ) => {
    signal.throwIfAborted();
    const timing = await timeRequests(port, requests, { ...duration, ...how });
    points.push({ axis, operation, at, ...timing });
    tell(
      `${axis} ${at.toLocaleString('en')}: ${operation}: p50 ${timing.p50.toFixed(2)} ms, p99 ${timing.p99.toFixed(2)} ms, ` +
        `${timing.requestsPerSecond.toFixed(0)}/s (${timing.times} times)`,
    );
  };
  const withServer = async (warmUpCases: readonly OwnedCase[], work: (port: number) => Promise<void>) => {
    const { tenants } = store;
    const warmUps = [readCases(warmUpCases), readSettings(tenants), updateSettings(tenants), badBodies(tenants)];
    const server = await serve(store, folder, cores, signal);
    try {
      const port = Number(new URL(server.origin).port);
      // Warms up compiled code, whose speed does not depend on the size.
      for (const requests of warmUps) await timeRequests(port, requests, { times: 500, seconds: 2 });
      await work(port);
    } finally {
      await server.stop();
    }
  };

  try {
    let cases = 0;
    let some: OwnedCase[] = [];
    for (const target of caseCounts) {
      some = await store.add(target - cases, filesOfUsualCase, warmUpCases + sampledCases, (added) => {
        signal.throwIfAborted();
        if (added % toldCases === 0) tell(`  ${(cases + added).toLocaleString('en')} cases`);
      });
      cases = target;
      await store.settle();
      storeBytes[target] = await store.bytes();
      const [known, usual] = [some.slice(0, warmUpCases), some.slice(warmUpCases)];
      await withServer(known, async (port) => {
        const { tenants } = store;
        await take(port, 'cases', 'case of 10 files, first read', target, readCases(usual), { times: usual.length });
        await take(port, 'cases', 'case of 10 files, read again', target, readCases(usual));
        await take(port, 'cases', 'no such case', target, missingCases(tenants));
        await take(port, 'cases', 'read the setting', target, readSettings(tenants));
        await take(port, 'cases', 'update the setting', target, updateSettings(tenants));
        await take(port, 'cases', 'refuse a bad body', target, badBodies(tenants));
        await take(port, 'cases', 'refuse a bad key', target, badKeys());
      });
    }
    for (const files of fileCounts) {
      // Enough to distinguish a first read from noise, but no more files than one large case has.
      const wanted = Math.max(3, Math.min(100, Math.floor(100_000 / files)));
      const sized = await store.add(wanted, files, wanted);
      await store.settle();
      await withServer(some, async (port) => {
        await take(port, 'files', 'first read', files, readCases(sized), { times: sized.length, seconds: Infinity });
        await take(port, 'files', 'read again', files, readCases(sized));
      });
    }
    await withServer(some, async (port) => {
      for (const connections of connectionCounts) {
        const how = { times: Infinity, connections };
        await take(port, 'connections', 'read the setting', connections, readSettings(store.tenants), how);
        await take(port, 'connections', 'case of 10 files', connections, readCases(some), how);
        await take(port, 'connections', 'update the setting', connections, updateSettings(store.tenants), how);
      }
    });
    return { points, storeBytes };
  } finally {
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function serve(
  store: GrowingStore,
  folder: string,
  { server: core }: Cores,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const ours = serverNamed('ours');
  const server: BenchServer = {
    ...ours,
    environment: (place) => ({ ...ours.environment(place), ...store.environment }),
  };
  return startServer(server, { folder, databaseFile: '' }, { core, signal });
}
