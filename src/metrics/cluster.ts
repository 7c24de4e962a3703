/** Metrics of several processes as one: each worker keeps its own, and the primary process adds them up when asked. */
import { AggregatorRegistry } from 'prom-client';
import type { Metrics } from './metrics.js';

/** In a worker process: answers the primary's requests for the metrics. */
export function shareMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry();
}

/** In the primary process: reads the metrics of all workers. Must be made before the first of them starts. */
export function clusterMetrics(): () => Promise<{ contentType: string; text: string }> {
  const registry = new AggregatorRegistry();
  return async () => ({ contentType: registry.contentType, text: await registry.clusterMetrics() });
}
