import type { BenchData } from './dataset/make-data.ts';
import { runLoad } from './load/run-load.ts';
import { type Workload, workloadNamed } from './load/workloads.ts';
import { type RunData, startServer } from './server-process.ts';
import type { BenchServer } from './servers.ts';
import type { Cores } from './support/cores.ts';
import { peakMemoryMiB } from './support/peak-memory.ts';
import { cpuSeconds, memoryOf, processTree } from './support/proc.ts';

/** The figures of one server under one workload, in one round or as the median of several. */
export interface Figures {
  readonly requestsPerSecond: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** The processor time of the server's process and its descendants: all threads, user and system. */
  readonly cpuMicrosecondsPerRequest: number;
  readonly peakMemoryMiB: number;
  /** The difference to the server's memory before this workload. */
  readonly memoryGrowthMiB: number;
  /** The share of its core that the load generator used. */
  readonly loadBusy: number;
}

/** The durations and the cores of a measurement. */
export interface MeasureOptions {
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly cores: Cores;
  readonly data: BenchData;
  readonly runData: RunData;
  readonly signal: AbortSignal;
}

/** Restarts the server, warms it up with the workload, and measures it. @throws {Error} if a response is wrong */
export async function measure(server: BenchServer, workload: Workload, options: MeasureOptions): Promise<Figures> {
  const { cores, signal, data, warmupSeconds, seconds } = options;
  const running = await startServer(server, options.runData, { core: cores.server, signal });
  try {
    const order = { origin: running.origin, data, statuses: server.statuses ?? {}, warmupSeconds };
    const on = { core: cores.load, signal };
    if (workload.after !== undefined)
      await runLoad({ ...order, workload: workloadNamed(workload.after).name, seconds: warmupSeconds }, on);
    const before = memoryOf(processTree(running.pid)).rssMiB;
    let cpuAtBegin = 0;
    const onBegin = () => {
      cpuAtBegin = cpuSeconds(processTree(running.pid));
    };
    const load = await runLoad({ ...order, workload: workload.name, seconds }, { ...on, onBegin });
    const pids = processTree(running.pid);
    const peak = peakMemoryMiB(pids);
    return {
      requestsPerSecond: load.requests / load.seconds,
      p50Milliseconds: load.p50,
      p99Milliseconds: load.p99,
      cpuMicrosecondsPerRequest: ((cpuSeconds(pids) - cpuAtBegin) / load.requests) * 1e6,
      peakMemoryMiB: peak,
      memoryGrowthMiB: peak - before,
      loadBusy: load.loadBusy,
    };
  } catch (error) {
    signal.throwIfAborted();
    const fault = error instanceof Error ? error.message : String(error);
    throw new Error(`The server ${server.name} failed under ${workload.name}: ${fault}`, { cause: error });
  } finally {
    await running.stop();
  }
}
