import { setTimeout as sleep } from 'node:timers/promises';
import type { TimedRequest } from '../growth/requests.ts';
import { timeRequests } from '../growth/time.ts';
import type { BenchServer, ServerPlace } from '../servers.ts';
import { cpuSeconds, type Memory, memoryOf, processTree } from '../support/proc.ts';
import { launch } from './launch.ts';
import { Load } from './load.ts';

export type DataPlace = Omit<ServerPlace, 'port'>;

/** One start of a server. */
export interface Start {
  /** From the start of its process to the last byte of its first correct response. */
  readonly milliseconds: number;
  /** The processor time used by then, of all threads. */
  readonly cpuMilliseconds: number;
}

/** Starts a server, sends a request, and stops it. @throws {Error} if the response is wrong */
export async function timeStart(server: BenchServer, place: DataPlace, request: TimedRequest): Promise<Start> {
  const launched = await launch(server, place);
  try {
    const connection = await launched.connected;
    const { status } = await connection.exchange(request.bytes);
    const milliseconds = performance.now() - launched.startedAt;
    const cpuMilliseconds = cpuSeconds(processTree(launched.pid)) * 1000;
    connection.close();
    if (status !== request.status)
      throw new Error(`The server ${server.name} responded ${status}, not ${request.status}.`);
    return { milliseconds, cpuMilliseconds };
  } finally {
    await launched.stop();
  }
}

/** The memory of an idle server: before its first request, and after some. */
export interface IdleMemory {
  readonly before: Memory;
  readonly after: Memory;
}

/** Measures the memory of an idle server, each time after a pause. */
export async function idleMemory(
  server: BenchServer,
  place: DataPlace,
  { requests, times, pauseSeconds }: { requests: readonly TimedRequest[]; times: number; pauseSeconds: number },
): Promise<IdleMemory> {
  const launched = await launch(server, place);
  try {
    const connection = await launched.connected;
    connection.close();
    await sleep(pauseSeconds * 1000);
    const before = memoryOf(processTree(launched.pid));
    await timeRequests(launched.port, requests, { times, seconds: 60 });
    await sleep(pauseSeconds * 1000);
    return { before, after: memoryOf(processTree(launched.pid)) };
  } finally {
    await launched.stop();
  }
}

/** A server under as much load as this machine can generate. */
export interface Throughput {
  readonly requestsPerSecond: number;
  /** Of all processes of the server, per request. */
  readonly serverCpuMicroseconds: number;
  /** Of the load generator, which uses the same cores if the server has all of them. */
  readonly loadCpuMicroseconds: number;
}

/** Enough for busy workers to have several requests in each turn of their event loops. */
const connections = 64;
const secondsUntilAllServe = 3;

/** Loads a server with this many workers, once all of them are serving. `wrap` pins it to cores. */
export async function throughput(
  server: BenchServer,
  place: DataPlace,
  options: { workers: number; wrap: readonly string[]; requests: readonly TimedRequest[]; seconds: number },
): Promise<Throughput> {
  const { workers, wrap, requests, seconds } = options;
  const launched = await launch(server, place, { environment: { WORKERS: String(workers) }, wrap });
  try {
    const connection = await launched.connected;
    connection.close();
    await sleep(secondsUntilAllServe * 1000);
    const load = await Load.begin(launched.port, requests, connections);
    // Warms up compiled code and caches.
    await load.measure(Math.min(4, 2 * seconds));
    const pids = processTree(launched.pid);
    const serverBefore = cpuSeconds(pids);
    const loadBefore = process.cpuUsage();
    const measured = await load.measure(seconds);
    const own = process.cpuUsage(loadBefore);
    const serverCpuSeconds = cpuSeconds(pids) - serverBefore;
    await load.end();
    return {
      requestsPerSecond: measured.requests / measured.seconds,
      serverCpuMicroseconds: (serverCpuSeconds * 1e6) / measured.requests,
      loadCpuMicroseconds: (own.user + own.system) / measured.requests,
    };
  } finally {
    await launched.stop();
  }
}
