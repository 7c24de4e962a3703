/** Measures how long servers take to start, and how much memory they take: idle, loaded, and while they send a large case. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant, MeasureOptions } from './harness.ts';
import { startLoad } from './load.ts';
import { memoryMiB, quantile } from './machine.ts';
import { type BenchServer, startServer } from './servers.ts';

/** Times in milliseconds, memory in MiB; medians. */
export interface Footprint {
  readonly name: string;
  readonly title: string;
  readonly start: number;
  readonly idle: number;
  /** After reads, and after updates too; absent for a server without operations. */
  readonly afterReads?: number;
  readonly afterUpdates?: number;
  /** By how much memory grows at most while four clients read a case of 100,000 files. */
  readonly growth?: number;
}

const idleSeconds = 3;
const loadMilliseconds = 5000;

/** Measures the servers, whose starts alternate. */
export async function measureFootprint(
  servers: readonly Contestant[],
  { rounds, cores, signal, log }: Omit<MeasureOptions, 'workloads'>,
): Promise<Footprint[]> {
  const on = { core: cores.server, signal };
  const starts = servers.map(() => [] as number[]);
  // The first start of each reads its files from the disk.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, { server, data }] of servers.entries()) {
      const { startMilliseconds, stop } = await startServer(server, data.databaseFile, on);
      await stop();
      if (round > 0) starts[index]?.push(startMilliseconds);
    }
  const footprints: Footprint[] = [];
  for (const [index, { name, title, server, data }] of servers.entries()) {
    const running = await startServer(server, data.databaseFile, on);
    const load = startLoad(data, cores.load);
    const run = (workload: string) => load.run({ ports: running.ports, workload, milliseconds: loadMilliseconds });
    const memory = (field?: 'VmHWM') => memoryMiB(running.pids, field);
    try {
      await sleep(idleSeconds * 1000);
      const found = { name, title, start: quantile(starts[index] ?? [], 0.5), idle: memory() };
      footprints.push(server.isBare ? found : { ...found, ...(await loaded(server, run, memory)) });
      log(JSON.stringify(footprints.at(-1)));
    } finally {
      await load.stop();
      await running.stop();
    }
  }
  return footprints;
}

async function loaded(
  server: BenchServer,
  run: (workload: string) => Promise<unknown>,
  memory: (field?: 'VmHWM') => number,
) {
  await run('read-setting');
  const afterReads = memory();
  await run('update-setting');
  const afterUpdates = memory();
  if (server.workloads?.includes('case-100000') === false) return { afterReads, afterUpdates };
  await run('case-10');
  const before = memory('VmHWM');
  await run('case-100000');
  return { afterReads, afterUpdates, growth: memory('VmHWM') - before };
}
