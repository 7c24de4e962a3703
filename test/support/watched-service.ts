import { pino } from 'pino';
import { openAnalysisWorker } from '../../src/analysis/open-worker.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { startService } from '../../src/runtime/service.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { afterwards } from './afterwards.ts';
import { settingPath } from './harness.ts';
import { TemporaryFolder } from './temporary-folder.ts';
import { addApiKey, addOrganisation } from './tenants.ts';

export type WatchedService = Awaited<ReturnType<typeof startWatchedService>>;

/** Starts a whole service in this process, with whatever ports its environment gives it. */
export async function startWatchedService(
  environment: NodeJS.ProcessEnv,
  wrap: (store: Store) => Store = (store) => store,
) {
  const folder = await TemporaryFolder.make();
  const config = readConfig({ PORT: '0', OPS_PORT: '0', DATA_DIR: folder.path, ...environment });
  const store = openSqliteStore(config.databasePath);
  // The end of a service gives an idle connection a second.
  const connection = 'close';
  const headers = { 'x-api-key': await addApiKey(store, await addOrganisation(store), 'owner'), connection };
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => log.push(line) });
  const dependencies = { store: wrap(store), logger, now: () => new Date() };
  const analysis = openAnalysisWorker(config, dependencies);
  const service = await startService(config, { ...dependencies, analysis });
  const close = afterwards(() => service.close());
  return {
    service: { ...service, close },
    store,
    databasePath: config.databasePath,
    log,
    /** The address of an operation that `headers` may call. */
    url: `http://127.0.0.1:${service.port}${settingPath}`,
    headers,
    ops: async (path: string, init?: RequestInit) => {
      const response = await fetch(`http://127.0.0.1:${service.opsPort}${path}`, { ...init, headers: { connection } });
      return { status: response.status, text: await response.text() };
    },
    close: afterwards(async () => {
      await close();
      await store.close();
    }),
  };
}
