/** The load generator, as a process of its own: autocannon, of whose connections each has requests of its own. */
import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { LoadFigures, LoadMessage, LoadOrder } from './protocol.ts';
import { workloadNamed } from './workloads.ts';

const timeoutSeconds = 60;
/** Autocannon's own end, which is never reached. */
const longestSeconds = 86_400;

function tell(message: LoadMessage): void {
  process.send?.(message);
}

function end(message: LoadMessage): void {
  process.send?.(message, () => process.exit());
}

/** Measures from the first response after the warm-up to the first one after the time: whole responses, however long each is. */
function measure({ warmupSeconds, seconds }: LoadOrder): (latencyMilliseconds: number) => void {
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

process.once('message', (order: LoadOrder) => {
  const { connections, requestsOf } = workloadNamed(order.workload);
  const record = measure(order);
  let connection = 0;
  const load = autocannon(
    {
      url: order.origin,
      connections,
      duration: longestSeconds,
      timeout: timeoutSeconds,
      setupClient: (client) => {
        const requests = requestsOf(connection, order.data);
        connection += 1;
        client.setRequests(requests.map(({ status: _status, ...request }) => request) as autocannon.Request[]);
        let responses = 0;
        client.on('response', (status: number, _bytes: number, milliseconds: number) => {
          const request = requests[responses % requests.length];
          responses += 1;
          const right = request && (order.statuses[request.status] ?? request.status);
          if (status !== right) end({ fault: `${request?.method} ${request?.path} got ${status}, not ${right}` });
          else record(milliseconds);
        });
      },
    },
    () => undefined,
  );
  load.on('reqError', (error: Error) => {
    end({ fault: `a request had no response: ${error.message}` });
  });
});
process.once('disconnect', () => process.exit());
