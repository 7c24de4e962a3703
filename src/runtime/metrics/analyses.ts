import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { analysisOutcomes } from '../../analysis/analyse-next.ts';
import { recheckOutcomes } from '../../analysis/recheck.ts';
import type { AnalysisWorker } from '../../analysis/analysis-worker.ts';
import type { Store } from '../../store/store.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Later than any credential expires. */
const endOfTime = '9999-12-31T23:59:59.999Z';

export function watchCredentials(
  { store, now }: { store: Pick<Store, 'listExpiringCredentials'>; now: () => Date },
  registry: Registry,
): void {
  new Gauge({
    name: 'credential_next_expiry_timestamp_seconds',
    help: 'When the next credential expires, as Unix time.',
    registers: [registry],
    async collect() {
      const period = { from: now().toISOString(), until: endOfTime, limit: 1 };
      const [next] = (await withinResponseTime(store.listExpiringCredentials(period))) ?? [];
      if (next) this.set(Date.parse(String(next.expires_at)) / 1000);
      else this.remove();
    },
  });
}

const responseMilliseconds = 1000;

/** What the store responds within a second; without it a metric is left out, because the others must not wait for it. */
function withinResponseTime<T>(response: Promise<T>): Promise<T | undefined> {
  return Promise.race([response.catch(() => undefined), sleep(responseMilliseconds, undefined, { ref: false })]);
}

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function watchAnalyses(
  worker: Pick<AnalysisWorker, 'reports' | 'countWaiting' | 'countRechecks'>,
  registry: Registry,
): void {
  const registers = [registry];
  const analyses = new Histogram({
    name: 'file_analysis_duration_seconds',
    help: 'Time from taking a file until its analysis ended or was left to another worker.',
    labelNames: ['outcome'],
    buckets,
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
  const waiting = [
    {
      name: 'file_analysis_waiting_files',
      help: 'Files that wait for an analysis, by any worker.',
      count: () => worker.countWaiting(),
    },
    {
      name: 'file_analysis_recheck_waiting_files',
      help: 'Files about which registries will be asked again, by any worker.',
      count: () => worker.countRechecks(),
    },
  ];
  for (const { name, help, count } of waiting)
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const files = await withinResponseTime(count());
        if (files === undefined) this.remove();
        else this.set(files);
      },
    });
}
