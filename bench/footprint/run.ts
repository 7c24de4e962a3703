import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCases, readSettings, type TimedRequest } from '../growth/requests.ts';
import { createSqliteStore } from '../growth/sqlite-store.ts';
import { type BenchServer, serverNamed } from '../servers.ts';
import { type Cores, holdTo, pinned } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import {
  type DataPlace,
  idleMemory,
  type IdleMemory,
  type Start,
  throughput,
  type Throughput,
  timeStart,
} from './measure.ts';

export interface FootprintOptions {
  readonly starts: number;
  /** How often the memory is measured, and each number of workers loaded. */
  readonly rounds: number;
  readonly pauseSeconds: number;
  readonly loadSeconds: number;
  readonly cores: Cores;
}

/** The measurements of one server. */
export interface ServerFootprint {
  readonly name: string;
  readonly title: string;
  readonly starts: readonly Start[];
  readonly memory: readonly IdleMemory[];
}

/** This server with a number of workers under one kind of request. */
export interface WorkersFootprint {
  readonly workload: string;
  readonly workers: number;
  readonly loadStands: LoadStands;
  readonly rounds: readonly Throughput[];
}

/** Where the load generator runs: on a core without workers, or on the workers' cores, one per worker. */
export type LoadStands = 'elsewhere' | 'on the same';

export interface Footprint {
  readonly servers: readonly ServerFootprint[];
  readonly workers: readonly WorkersFootprint[];
}

const comparedServers = ['unbatched', 'fastify', 'ours'];
const cases = 1000;
const requestsBeforeMemory = 1000;

/**
 * Measures start, memory and workers, alternating between the servers.
 * @throws {Error} if a server does not start or responds wrongly, or the signal aborts
 */
export async function measureFootprint(
  options: FootprintOptions,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Footprint> {
  const folder = join(folders.reports, 'footprint');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const store = await createSqliteStore(folder);
    const settings = readSettings(store.tenants);
    const someCases = readCases(await store.add(cases, 10, cases));
    await store.settle();
    const place = {
      dataFolder: folder,
      databaseFile: join(folder, 'document-analysis-uk.sqlite'),
      logFile: join(folder, 'server.log'),
    };
    const parts = { options, signal, tell, place };
    const servers = comparedServers.map((name) => serverNamed(name));
    const starts = await measureStarts(servers, settings, parts);
    const memory = await measureMemory(servers, [...settings, ...someCases], parts);
    const workers = await measureWorkers({ 'read the setting': settings, 'case of 10 files': someCases }, parts);
    return {
      servers: servers.map(({ name, title }) => ({
        name,
        title,
        starts: starts.get(name) ?? [],
        memory: memory.get(name) ?? [],
      })),
      workers,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly options: FootprintOptions;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
  readonly place: DataPlace;
}

async function measureStarts(servers: readonly BenchServer[], settings: readonly TimedRequest[], parts: Parts) {
  const { options, signal, tell, place } = parts;
  const [request] = settings;
  if (!request) throw new Error('There is nobody to ask for.');
  return inTurns(servers, options.starts + 1, signal, async (server, round) => {
    const start = await timeStart(server, place, request);
    tell(
      `start ${round}/${options.starts} ${server.name}: ${start.milliseconds.toFixed(0)} ms${round === 0 ? ' (not counted)' : ''}`,
    );
    // The first start of each server reads its files from the disk.
    return round === 0 ? undefined : start;
  });
}

async function measureMemory(servers: readonly BenchServer[], requests: readonly TimedRequest[], parts: Parts) {
  const { options, signal, tell, place } = parts;
  const { rounds, pauseSeconds } = options;
  return inTurns(servers, rounds, signal, async (server) => {
    const memory = await idleMemory(server, place, { requests, times: requestsBeforeMemory, pauseSeconds });
    tell(
      `memory ${server.name}: ${memory.before.rssMiB.toFixed(0)} MiB, after requests ${memory.after.rssMiB.toFixed(0)} MiB`,
    );
    return memory;
  });
}

async function measureWorkers(workloads: Readonly<Record<string, readonly TimedRequest[]>>, parts: Parts) {
  const { options, signal, tell, place } = parts;
  const { cores, rounds, loadSeconds } = options;
  const both = [cores.server, cores.load].filter((core) => core !== undefined);
  const arrangements = [
    { workers: 1, loadStands: 'elsewhere', server: both.slice(0, 1), load: both.slice(1) },
    { workers: 1, loadStands: 'on the same', server: both.slice(0, 1), load: both.slice(0, 1) },
    { workers: 2, loadStands: 'on the same', server: both, load: both },
  ] as const;
  const all = Object.entries(workloads).flatMap(([workload, requests]) =>
    arrangements.map((each) => ({
      ...each,
      name: `${workload}, ${each.workers} worker(s), the load ${each.loadStands}`,
      workload,
      requests,
    })),
  );
  const measured = await inTurns(all, rounds, signal, async ({ name, workers, server, load, requests }) => {
    const isPinned = both.length === 2;
    if (isPinned) holdTo(load);
    const wrap = isPinned ? pinned(server, []) : [];
    const figures = await throughput(serverNamed('ours'), place, { workers, wrap, requests, seconds: loadSeconds });
    if (isPinned) holdTo(both);
    tell(`${name}: ${figures.requestsPerSecond.toFixed(0)}/s`);
    return figures;
  });
  return all.map(({ name, workload, workers, loadStands }) => ({
    workload,
    workers,
    loadStands,
    rounds: measured.get(name) ?? [],
  }));
}

/** Measures all of them alternately, in rounds, so that changes on the machine affect all of them. */
async function inTurns<Each extends { readonly name: string }, Figure>(
  all: readonly Each[],
  rounds: number,
  signal: AbortSignal,
  measure: (each: Each, round: number) => Promise<Figure | undefined>,
): Promise<Map<string, Figure[]>> {
  const figures = new Map<string, Figure[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const each of all) {
      signal.throwIfAborted();
      const figure = await measure(each, round);
      if (figure !== undefined) figures.get(each.name)?.push(figure);
    }
  return figures;
}
