/** Prometheus metrics, named by OpenTelemetry's conventions. Every label has few values, whatever callers send. */
import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TrackedServer } from '../../api/connections/connection-tracker.ts';
import { whenCompleted } from '../../api/steps/request-log.ts';
import type { StoreObserver } from '../../store/observe-store.ts';
import type { Store } from '../../store/store.ts';

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export type Metrics = ReturnType<typeof createMetrics>;

/** Starts to collect metrics, those of the process and its event loop among them. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the arrival of a request until its response was sent.',
    labelNames: ['operation_id', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const overloaded = new Counter({
    name: 'http_server_overload_refusals_total',
    help: 'Requests that were refused because too many others were in flight.',
    registers,
  });
  const storeCalls = new Histogram({
    name: 'store_call_duration_seconds',
    help: 'Time of a call of the store, waiting for a connection or a lock included.',
    labelNames: ['method', 'outcome'],
    buckets: storeBuckets,
    registers,
  });

  const gauge = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(count());
      },
    });

  return {
    registry,

    observeRequest: ((request, response, next) => {
      whenCompleted(request, response, ({ operationId, status, durationMs, overloaded: refused }) => {
        if (refused) overloaded.inc();
        requests.observe({ operation_id: operationId ?? 'none', status: status ?? 'aborted' }, durationMs / 1000);
      });
      next();
    }) satisfies RequestHandler,

    observeStoreCall: ((method) => {
      const end = storeCalls.startTimer({ method });
      return (failed) => end({ outcome: failed ? 'failed' : 'done' });
    }) satisfies StoreObserver,

    watchConnections: (server: TrackedServer) => {
      const dropped = new Counter({
        name: 'http_server_dropped_connections_total',
        help: 'Connections that were closed because too many were open.',
        registers,
      });
      server.on('drop', () => {
        dropped.inc();
      });
      const { tracker } = server;
      gauge('http_server_open_connections', 'Connections of clients that are open.', () => tracker.open.size);
      gauge('http_server_active_requests', 'Requests without a complete response.', () => tracker.inFlight);
    },

    watchPool: (store: Pick<Store, 'poolState'>) => {
      const poolState = store.poolState?.bind(store);
      if (!poolState) return;
      new Gauge({
        name: 'store_pool_connections',
        help: 'Connections of the store: all (total), unused (idle), and callers that wait for one (waiting).',
        labelNames: ['state'],
        registers,
        collect() {
          for (const [state, count] of Object.entries<number>({ ...poolState() })) this.set({ state }, count);
        },
      });
    },
  };
}
