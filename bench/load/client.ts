/** The load generator, a process of its own: persistent connections, each with its own requests. */
import { createHistogram } from 'node:perf_hooks';
import { KeptConnection, requestBytes } from '../support/connection.ts';
import type { LoadFigures, LoadMessage, LoadOrder } from './protocol.ts';
import { type BenchRequest, workloadNamed } from './workloads.ts';

function tell(message: LoadMessage): void {
  process.send?.(message);
}

function end(message: LoadMessage): void {
  process.send?.(message, () => process.exit());
}

/** Called with the duration of each response. */
type Recorder = (milliseconds: number) => void;

/**
 * Measures from the first response after the warm-up to the first one after the end, so that only whole responses
 * count.
 */
function measure({ warmupSeconds, seconds }: LoadOrder): Recorder {
  const startedAt = performance.now();
  const latencies = createHistogram();
  let begun: { at: number; cpu: NodeJS.CpuUsage } | undefined;
  let ended = false;

  return (latencyMilliseconds) => {
    const now = performance.now();
    if (ended) return;
    if (!begun) {
      if (now - startedAt < warmupSeconds * 1000) return;
      begun = { at: now, cpu: process.cpuUsage() };
      tell({ begun: true });
      return;
    }
    latencies.record(Math.max(1, Math.round(latencyMilliseconds * 1000)));
    if (now - begun.at < seconds * 1000) return;
    ended = true;
    const { user, system } = process.cpuUsage(begun.cpu);
    const elapsed = (now - begun.at) / 1000;
    const figures: LoadFigures = {
      requests: latencies.count,
      seconds: elapsed,
      p50: latencies.percentile(50) / 1000,
      p99: latencies.percentile(99) / 1000,
      loadBusy: (user + system) / 1e6 / elapsed,
    };
    end({ figures });
  };
}

/** Sends this connection's requests repeatedly, each after the previous response. */
async function load(connection: KeptConnection, requests: readonly BenchRequest[], order: LoadOrder, record: Recorder) {
  const prepared = requests.map(({ method, path, headers, body, status }) => ({
    name: `${method} ${path}`,
    bytes: requestBytes(method, path, headers, body),
    right: order.statuses[status] ?? status,
  }));
  for (;;)
    for (const { name, bytes, right } of prepared) {
      const { status, milliseconds } = await connection.exchange(bytes);
      if (status !== right) throw new Error(`${name} got ${status}, not ${right}`);
      record(milliseconds);
    }
}

process.once('message', (order: LoadOrder) => {
  const { connections, requestsOf } = workloadNamed(order.workload);
  const record = measure(order);
  const port = Number(new URL(order.origin).port);
  Promise.all(
    Array.from({ length: connections }, async (_none, index) =>
      load(await KeptConnection.open(port), requestsOf(index, order.data), order, record),
    ),
  ).catch((error: unknown) => {
    end({ fault: `a request had no right response: ${error instanceof Error ? error.message : String(error)}` });
  });
});
process.once('disconnect', () => process.exit());
