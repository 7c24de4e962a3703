/**
 * Measures several running servers, each with a copy of the data, in alternating slices of a quarter of a second. A
 * disturbance of the machine affects neighbouring slices alike, so each slice is compared with that of the other server
 * in the same round; the median of these ratios is the result.
 */
import { isDeepStrictEqual } from 'node:util';
import type { BenchData } from './data.ts';
import { type LoadGenerator, startLoad } from './load.ts';
import { type Cores, processorMicroseconds, quantile } from './machine.ts';
import { type BenchServer, type RunningServer, startServer } from './servers.ts';
import type { Workload } from './workloads.ts';

export interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly server: BenchServer;
  readonly data: BenchData;
  /** Whether the server has its data elsewhere, so that it needs no copy. */
  readonly isElsewhere?: boolean;
}

export interface MeasureOptions {
  readonly rounds: number;
  readonly workloads: readonly Workload[];
  readonly cores: Cores;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export type Quartiles = readonly [lower: number, median: number, upper: number];

export interface Figures {
  readonly name: string;
  readonly workload: string;
  /** Of each slice. */
  readonly requestsPerSecond: readonly number[];
  /** Of all processes of the server, over all slices. */
  readonly processorMicroseconds: number;
  /** The highest share of its core that the load generator used in a slice: near 1, it limits the server. */
  readonly loadBusy: number;
}

export const sliceMilliseconds = 250;
const warmUpMilliseconds = 1000;

/** How many requests of a workload are compared, enough for every kind in the mix. */
const comparedRequests = 60;

/**
 * Starts the servers, compares their responses, and measures them.
 * @throws {Error} if a server does not start or responds wrongly, or the signal aborts
 */
export async function measure(contestants: readonly Contestant[], options: MeasureOptions): Promise<Figures[]> {
  const { workloads, cores, signal, log } = options;
  const lanes: Lane[] = [];
  const loads = new Map<BenchData, LoadGenerator>();
  try {
    for (const contestant of contestants) {
      const { server, data, isElsewhere } = contestant;
      signal.throwIfAborted();
      const databaseFile = isElsewhere ? undefined : data.databaseFile;
      const running = await startServer(server, databaseFile, { core: cores.server, signal });
      const load = loads.get(data) ?? startLoad(data, cores.load);
      loads.set(data, load);
      lanes.push({ ...contestant, running, load });
    }
    const lanesOf = ({ name }: Workload) => lanes.filter(({ server }) => server.workloads?.includes(name) ?? true);
    // All before the first slice: a slice ends after any request, so the settings of the servers differ from then on.
    for (const workload of workloads) await compareResponses(lanesOf(workload), workload);
    const figures: Figures[] = [];
    for (const workload of workloads) {
      for (const figure of await measureWorkload(lanesOf(workload), workload, options)) {
        figures.push(figure);
        const { name, requestsPerSecond, processorMicroseconds: cost } = figure;
        const rate = quantile(requestsPerSecond, 0.5).toFixed(0);
        log(
          `${workload.name.padEnd(14)}  ${name.padEnd(14)}  ${rate.padStart(6)}/s  ${cost.toFixed(1)} µs of processor`,
        );
      }
    }
    return figures;
  } finally {
    for (const load of loads.values()) await load.stop();
    for (const { running } of lanes) await running.stop();
  }
}

interface Lane extends Contestant {
  readonly running: RunningServer;
  readonly load: LoadGenerator;
}

async function measureWorkload(
  lanes: readonly Lane[],
  { name }: Workload,
  options: MeasureOptions,
): Promise<Figures[]> {
  const { rounds, signal } = options;
  const slice = ({ load, running: { ports } }: Lane, milliseconds: number) =>
    load.run({ ports, workload: name, milliseconds });
  for (const lane of lanes) await slice(lane, warmUpMilliseconds);
  const sums = lanes.map((lane) => ({ lane, rates: [] as number[], requests: 0, processor: 0, busy: 0 }));
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < lanes.length; turn += 1) {
      signal.throwIfAborted();
      // Each round begins with another server, so that none always follows the same one.
      const sum = sums[(round + turn) % lanes.length] as (typeof sums)[number];
      const { pids } = sum.lane.running;
      const before = processorMicroseconds(pids);
      const { requests, seconds, busy } = await slice(sum.lane, sliceMilliseconds);
      sum.processor += processorMicroseconds(pids) - before;
      sum.requests += requests;
      sum.rates.push(requests / seconds);
      sum.busy = Math.max(sum.busy, busy);
    }
  return sums.map(({ lane, rates, requests, processor, busy }) => ({
    name: lane.name,
    workload: name,
    requestsPerSecond: rates,
    processorMicroseconds: processor / requests,
    loadBusy: busy,
  }));
}

/** The quartiles of the ratios of two servers, round by round; undefined if one was not measured. */
export function ratioOf(
  figures: readonly Figures[],
  workload: string,
  name: string,
  of: string,
): Quartiles | undefined {
  const rates = (wanted: string) =>
    figures.find((each) => each.workload === workload && each.name === wanted)?.requestsPerSecond;
  const [own, others] = [rates(name), rates(of)];
  if (!own || !others) return undefined;
  const ratios = own.map((rate, round) => rate / (others[round] as number));
  return [quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)];
}

/** A wrong response would invalidate any comparison. @throws {Error} if the servers respond differently */
async function compareResponses(lanes: readonly Lane[], workload: Workload): Promise<void> {
  const expected = new Map<string, unknown>();
  for (const { server, name, data, running } of lanes) {
    for (const { path, status, ...request } of workload.requestsOf(0, data).slice(0, comparedRequests)) {
      const key = JSON.stringify([path, request]);
      const headers = { ...request.headers, 'Content-Type': 'application/json' };
      const response = await fetch(`http://127.0.0.1:${running.ports[0]}${path}`, { ...request, headers });
      const body: unknown = await response.json();
      if (server.isBare !== true && !expected.has(key)) expected.set(key, body);
      if (response.status === status && (server.isBare === true || isDeepStrictEqual(body, expected.get(key))))
        continue;
      const text = JSON.stringify(body).slice(0, 400);
      throw new Error(`The server ${name} responds to ${request.method} ${path} with ${response.status} ${text}`);
    }
  }
}
