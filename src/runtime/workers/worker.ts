import cluster from 'node:cluster';
import type { Config } from '../config.ts';
import { startService, type ServiceDependencies } from '../service.ts';
import { type WorkerMessage, workerMessageOf } from './messages.ts';

/** The process of a worker, as far as it is needed here. */
export type WorkerProcess = Pick<NodeJS.Process, 'on' | 'send'>;

/**
 * Serves until the primary says to stop. A signal to the whole group of processes is left to the primary. Node.js ends
 * a worker whose primary is gone; the channel may fail just before that.
 */
export async function serveAsWorker(
  config: Config,
  dependencies: ServiceDependencies,
  onStop: () => (part: string, work: Promise<void>) => Promise<void>,
  worker: WorkerProcess = process,
  channel: Pick<NonNullable<typeof cluster.worker>, 'on'> | undefined = cluster.worker,
): Promise<void> {
  channel?.on('error', () => undefined);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) worker.on(signal, () => undefined);
  const metrics = config.ops && (await shareMetrics());
  const stop = new Promise<void>((resolve) => {
    worker.on('message', (message: unknown) => {
      if (workerMessageOf(message)?.type === 'document-analysis:stop') resolve();
    });
  });
  // The primary waits before it says to stop, and has the operations port.
  const own = { ...config, drainDelaySeconds: 0, ops: undefined };
  const service = await startService(own, { ...dependencies, ...(metrics && { metrics }) });
  worker.send?.({ type: 'document-analysis:serving', port: service.port } satisfies WorkerMessage);
  await stop;
  await onStop()('requests', service.close());
}

async function shareMetrics() {
  const metrics = (await import('../metrics/metrics.ts')).createMetrics();
  (await import('../metrics/cluster.ts')).shareMetrics(metrics);
  return metrics;
}
