import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AnalysisWorker } from '../analysis/analysis-worker.ts';
import { createApp } from '../api/app.ts';
import type { Config } from './config.ts';
import { ContentStore } from '../files/content-store.ts';
import { thumbnailFolderOf } from '../files/thumbnail-name.ts';
import { drainable } from '../api/connections/drain.ts';
import { listen } from '../api/connections/listen.ts';
import { createServer } from '../api/connections/server.ts';
import { saveCredentialUses, warnOfExpiry } from './watched-credentials.ts';
import type { Metrics } from './metrics.ts';
import { startOpsServer } from './ops-server.ts';
import { filesCheck, watchReadiness } from './readiness.ts';
import { openRateLimits } from '../rate-limits/rate-limit-store.ts';
import { observeStore, type Store } from '../store/store.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

export interface ServiceDependencies {
  readonly store: Store;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly docsFolder?: string | undefined;
  /** Whose analyses are counted, if anything is; it is started and stopped by the caller. */
  readonly analysis?: AnalysisWorker | undefined;
}

/**
 * Starts a server on an open store, which the caller closes, and its operations port if one is configured.
 * @throws {OperatorError} if an address cannot be listened on
 */
export async function startService(config: Config, { store, logger, now, docsFolder, analysis }: ServiceDependencies) {
  // Observability is loaded only when enabled.
  const metrics = config.ops && (await import('./metrics.ts')).createMetrics();
  const tracing = config.traces && (await import('./tracing.ts')).startTracing(logger, config.traces.headers);
  const rateLimitStore = await openRateLimits(config, logger);
  const uses = saveCredentialUses(store, logger);
  const observers = [tracing, metrics].filter((watcher) => watcher !== undefined);

  const storeObservers = observers.map((observer) => observer.observeStoreCall);
  const app = await createApp({
    config,
    store: storeObservers.length === 0 ? store : observeStore(store, storeObservers),
    rateLimitStore,
    logger,
    now,
    recordUse: uses.note,
    observers: observers.map((observer) => observer.observeRequest),
    docsFolder,
    thumbnailFolder: thumbnailFolderOf(config.files.folder),
    files: new ContentStore(config.files.folder),
  });
  const server = createServer(app, { maxConnections: config.maxConnections });
  const drain = drainable(server);
  metrics?.watch({ server, store, now, analysis });
  const { drain: beginDraining, notReady } = watchReadiness(store, logger);

  const closing: (() => Promise<void> | undefined)[] = [
    () => uses.close(),
    () => tracing?.close(),
    () => rateLimitStore.close(),
  ];
  const close = async () => {
    for (const end of closing) await end();
  };
  try {
    const port = await listen(server, config, '--host and --port (HOST, PORT)');
    closing.unshift(drain);
    const ops = config.ops && metrics && (await startOps(config.ops, metrics));
    const stopWarnings = warnOfExpiry({ store, logger, now });
    closing.push(() => ops?.close());
    return {
      port,
      opsPort: ops?.port,
      notReady,
      /** Is not ready from now on, and after the configured delay lets requests in flight finish for up to ten seconds. */
      close: async () => {
        stopWarnings();
        beginDraining();
        if (config.drainDelaySeconds > 0) await sleep(config.drainDelaySeconds * 1000);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }

  function startOps(address: NonNullable<Config['ops']>, { registry }: Metrics) {
    const readMetrics = async () => ({ contentType: registry.contentType, text: await registry.metrics() });
    const degraded = filesCheck(config.files.folder, logger);
    return startOpsServer(address, { notReady, degraded, metrics: readMetrics }, logger);
  }
}
