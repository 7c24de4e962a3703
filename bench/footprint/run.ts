import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCases, readSettings, type TimedRequest } from '../growth/requests.js';
import { createSqliteStore } from '../growth/sqlite-store.js';
import { type BenchServer, serverNamed } from '../servers.js';
import { type Cores, pinned } from '../support/cores.js';
import { folders } from '../support/folders.js';
import {
  type DataPlace,
  idleMemory,
  type IdleMemory,
  type Start,
  throughput,
  type Throughput,
  timeStart,
} from './measure.js';

export interface FootprintOptions {
  readonly starts: number;
  /** How often the memory is looked at, and each number of workers loaded. */
  readonly rounds: number;
  readonly pauseSeconds: number;
  readonly loadSeconds: number;
  readonly cores: Cores;
}

/** One server, and what was measured of it. */
export interface ServerFootprint {
  readonly name: string;
  readonly title: string;
  readonly starts: readonly Start[];
  readonly memory: readonly IdleMemory[];
}

/** This server with so many workers under one kind of request. */
export interface WorkersFootprint {
  readonly workers: number;
  readonly workload: string;
  readonly rounds: readonly Throughput[];
}

export interface Footprint {
  readonly servers: readonly ServerFootprint[];
  readonly workers: readonly WorkersFootprint[];
}

const comparedServers = ['bare', 'fastify', 'ours'];
const cases = 1000;
const requestsBeforeMemory = 1000;

/**
 * Measures start, memory and workers, each server in turn.
 * @throws {Error} if a server does not start or answers wrongly, or the signal ends it
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
    // The first start of each reads its files from the disk.
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
  const all = Object.entries(workloads).flatMap(([workload, requests]) =>
    [1, 2].map((workers) => ({ name: `${workload} ${workers}`, workload, workers, requests })),
  );
  const measured = await inTurns(all, rounds, signal, async ({ workload, workers, requests }) => {
    // One worker has a core of its own; two share both with the load.
    const wrap = cores.server === undefined ? [] : workers === 1 ? pinned(cores.server, []) : bothCores(cores);
    const figures = await throughput(serverNamed('ours'), place, { workers, wrap, requests, seconds: loadSeconds });
    tell(`${workload}, ${workers} workers: ${figures.requestsPerSecond.toFixed(0)}/s`);
    return figures;
  });
  return all.map(({ name, workload, workers }) => ({ workload, workers, rounds: measured.get(name) ?? [] }));
}

function bothCores({ server, load }: Cores): string[] {
  return ['taskset', '--cpu-list', `${String(server)},${String(load)}`];
}

/** Each in turn, round after round, so that whatever changes on the machine meets all of them. */
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
