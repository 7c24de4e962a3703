import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { responsesOf, type CheckedResponse, requireSameResponses } from './check-responses.ts';
import { provideData } from './dataset/make-data.ts';
import type { Workload } from './load/workloads.ts';
import { type Figures, measure, type MeasureOptions } from './measure.ts';
import { startServer } from './server-process.ts';
import { type BenchServer, serverNamed } from './servers.ts';
import { chooseCores, type Cores } from './support/cores.ts';
import { folders } from './support/folders.ts';

export interface RunOptions {
  readonly rounds: number;
  /** The duration of the measurement of each server under each workload in each round. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly servers: readonly BenchServer[];
  readonly workloads: readonly Workload[];
}

/** The figures of one server under one workload, by round. */
export interface Cell {
  readonly server: string;
  readonly workload: string;
  readonly rounds: Figures[];
}

/**
 * Compares the servers: in each round, under each workload, one after the other, so that changes on the machine affect
 * all of them.
 * @throws {Error} if a server does not start or responds wrongly, or the signal aborts
 */
export async function runBench(
  options: RunOptions,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<{ cells: Cell[]; cores: Cores; headBytes: Record<string, number> }> {
  const { rounds, seconds, warmupSeconds, workloads } = options;
  const cores = chooseCores();
  if (cores.unpinned !== undefined) tell(`Note: ${cores.unpinned}.`);
  const data = await provideData(signal, tell);
  const folder = join(folders.reports, 'run');
  const runData = { folder, databaseFile: join(folder, 'document-analysis-uk.sqlite') };
  const measuring: MeasureOptions = { warmupSeconds, seconds, cores, data, runData, signal };
  try {
    const headBytes = await checkResponses(options, measuring, tell);
    await copyData(measuring);
    const pairs = workloads.flatMap((workload) =>
      options.servers
        .filter((server) => server.workloads?.includes(workload.name) ?? true)
        .map((server) => ({ server, workload })),
    );
    const cells = pairs.map(({ server, workload }): Cell => {
      return { server: server.name, workload: workload.name, rounds: [] };
    });
    const total = rounds * pairs.length;
    let done = 0;
    for (let round = 0; round < rounds; round += 1)
      for (const workload of workloads) {
        const ofWorkload = pairs.filter((pair) => pair.workload === workload);
        // Each round begins with another server, so that none always follows the same one.
        const first = round % ofWorkload.length;
        for (const { server } of [...ofWorkload.slice(first), ...ofWorkload.slice(0, first)]) {
          signal.throwIfAborted();
          const figures = await measure(server, workload, measuring);
          const cell = cells.find((each) => each.server === server.name && each.workload === workload.name);
          cell?.rounds.push(figures);
          done += 1;
          tell(`${String(done).padStart(String(total).length)}/${total}  ${progress(server, workload, figures)}`);
        }
      }
    return { cells, cores, headBytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the run a fresh copy of the data. */
async function copyData({ data, runData }: MeasureOptions): Promise<void> {
  await rm(runData.folder, { recursive: true, force: true });
  await mkdir(runData.folder, { recursive: true, mode: 0o700 });
  await copyFile(data.databaseFile, runData.databaseFile, constants.COPYFILE_FICLONE);
}

/** Compares the responses of all servers; returns the size of the headers of the first response of each. */
async function checkResponses(
  options: RunOptions,
  measuring: MeasureOptions,
  tell: (line: string) => void,
): Promise<Record<string, number>> {
  const headBytes: Record<string, number> = {};
  const expected = new Map<Workload, CheckedResponse[]>();
  const reference = serverNamed('ours');
  for (const server of [reference, ...options.servers.filter((each) => each !== reference)]) {
    const { runData, signal, cores, data } = measuring;
    await copyData(measuring);
    const running = await startServer(server, runData, { core: cores.server, signal });
    try {
      const suited = options.workloads.filter(({ name }) => server.workloads?.includes(name) ?? true);
      for (const workload of suited) {
        signal.throwIfAborted();
        const responses = await responsesOf(running.origin, workload, data);
        const wanted = expected.get(workload) ?? responses;
        expected.set(workload, wanted);
        requireSameResponses(server, responses, wanted);
        headBytes[server.name] ??= responses[0]?.headBytes ?? NaN;
      }
      tell(`The responses of ${server.title} are correct`);
    } finally {
      await running.stop();
    }
  }
  return headBytes;
}

function progress(server: BenchServer, workload: Workload, figures: Figures): string {
  const { requestsPerSecond, p50Milliseconds, p99Milliseconds, cpuMicrosecondsPerRequest, loadBusy } = figures;
  return [
    workload.name.padEnd(14),
    server.name.padEnd(17),
    `${requestsPerSecond.toFixed(requestsPerSecond < 100 ? 1 : 0).padStart(7)}/s`,
    `p50 ${p50Milliseconds.toFixed(2)} ms`,
    `p99 ${p99Milliseconds.toFixed(2)} ms`,
    `${cpuMicrosecondsPerRequest.toFixed(0)} µs of processor`,
    `load busy ${(100 * loadBusy).toFixed(0)}%`,
  ].join('  ');
}
