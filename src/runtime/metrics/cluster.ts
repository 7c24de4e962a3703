/**
 * Metrics of several processes as one: each worker keeps its own, and the primary process adds them up when asked. It gives
 * no sum without a worker that does not respond: counters would fall and rise again, which Prometheus takes for a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { AnalysisWorker } from '../../analysis/analysis-worker.ts';
import { MetricsUnavailableError } from '../operations-port/ops-server.ts';
import { watchAnalyses, watchCredentials } from './analyses.ts';
import type { Metrics } from './metrics.ts';

const responseMilliseconds = 3_000;

/** In a worker process: responds to the primary's requests for the metrics. */
export function shareMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry();
}

/**
 * In the primary process, before the first worker starts: reads the metrics of all workers, of the store, and of the
 * primary's own analyses. Rejects with a `MetricsUnavailableError` if a worker does not respond within three seconds.
 */
export function clusterMetrics(
  source: Parameters<typeof watchCredentials>[0],
  analysis?: AnalysisWorker,
): () => Promise<{ contentType: string; text: string }> {
  const registry = new AggregatorRegistry();
  const own = new Registry();
  watchCredentials(source, own);
  if (analysis) watchAnalyses(analysis, own);
  return async () => {
    const all = Promise.all([registry.clusterMetrics(), own.metrics()]);
    const texts = await Promise.race([all, sleep(responseMilliseconds, undefined, { ref: false })]);
    if (!texts) throw new MetricsUnavailableError('a worker does not tell its metrics');
    return { contentType: registry.contentType, text: texts.join('') };
  };
}
