/** Prometheus metrics, named by OpenTelemetry's conventions. Every label has few values, whatever callers send. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { analysisOutcomes } from '../analysis/analyse-next.ts';
import type { AnalysisWorker } from '../analysis/analysis-worker.ts';
import { recheckOutcomes } from '../analysis/recheck.ts';
import type { TrackedServer } from '../api/connections/connection-tracker.ts';
import { whenCompleted } from '../api/steps/request-log.ts';
import type { Store, StoreObserver } from '../store/store.ts';

const responseMilliseconds = 1000;
/** Later than any credential expires. */
const endOfTime = '9999-12-31T23:59:59.999Z';

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const analysisBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

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

    /** Watches the parts of a service from now on; `analysis` if it analyses files itself. */
    watch: ({ server, store, now, analysis }: Watched) => {
      watchConnections(server, registry);
      watchPool(store, registry);
      watchCredentials({ store, now }, registry);
      if (analysis) watchAnalyses(analysis, registry);
    },
  };
}

interface Watched {
  readonly server: TrackedServer;
  readonly store: Store;
  readonly now: () => Date;
  readonly analysis: AnalysisWorker | undefined;
}

function watchConnections(server: TrackedServer, registry: Registry): void {
  const dropped = new Counter({
    name: 'http_server_dropped_connections_total',
    help: 'Connections that were closed because too many were open.',
    registers: [registry],
  });
  server.on('drop', () => {
    dropped.inc();
  });
  const { tracker } = server;
  const open = 'Connections of clients that are open.';
  addGauge(registry, 'http_server_open_connections', open, () => tracker.open.size);
  const active = 'Requests without a complete response.';
  addGauge(registry, 'http_server_active_requests', active, () => tracker.inFlight);
}

function watchPool(store: Store, registry: Registry): void {
  const poolState = store.poolState?.bind(store);
  if (!poolState) return;
  new Gauge({
    name: 'store_pool_connections',
    help: 'Connections of the store: all (total), unused (idle), and callers that wait for one (waiting).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries<number>({ ...poolState() })) this.set({ state }, count);
    },
  });
}

/** Adds a gauge that is left out while its value is unknown, for which the other metrics wait no longer than a second. */
function addGauge(registry: Registry, name: string, help: string, read: () => number | Promise<number | undefined>) {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = Promise.resolve(read()).catch(() => undefined);
      const known = await Promise.race([value, sleep(responseMilliseconds, undefined, { ref: false })]);
      if (known === undefined) gauge.remove();
      else gauge.set(known);
    },
  });
}

export function watchCredentials(
  { store, now }: { store: Pick<Store, 'listExpiringCredentials'>; now: () => Date },
  registry: Registry,
): void {
  const help = 'When the next credential expires, as Unix time.';
  addGauge(registry, 'credential_next_expiry_timestamp_seconds', help, async () => {
    const period = { from: now().toISOString(), until: endOfTime, limit: 1 };
    const [next] = await store.listExpiringCredentials(period);
    return next && Date.parse(String(next.expires_at)) / 1000;
  });
}

export function watchAnalyses(
  worker: Pick<AnalysisWorker, 'reports' | 'countWaiting' | 'countRechecks'>,
  registry: Registry,
): void {
  const registers = [registry];
  const analyses = new Histogram({
    name: 'file_analysis_duration_seconds',
    help: 'Time from taking a file until its analysis ended or was left to another worker.',
    labelNames: ['outcome'],
    buckets: analysisBuckets,
    registers,
  });
  for (const outcome of analysisOutcomes) analyses.zero({ outcome });
  worker.reports.on('analysed', ({ outcome, durationMs }) => {
    analyses.observe({ outcome }, durationMs / 1000);
  });
  const rechecks = new Counter({
    name: 'file_analysis_rechecks_total',
    help: 'Files about which registries were asked again.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of recheckOutcomes) rechecks.inc({ outcome }, 0);
  worker.reports.on('asked', ({ outcome }) => {
    rechecks.inc({ outcome });
  });
  const waiting = 'Files that wait for an analysis, by any worker.';
  addGauge(registry, 'file_analysis_waiting_files', waiting, () => worker.countWaiting());
  const asked = 'Files about which registries will be asked again, by any worker.';
  addGauge(registry, 'file_analysis_recheck_waiting_files', asked, () => worker.countRechecks());
}
