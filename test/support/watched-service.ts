import { pino } from 'pino';
import { openAnalysisWorker } from '../../src/analysis/open-worker.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { type Service, startService } from '../../src/runtime/service.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { afterwards } from './afterwards.ts';
import { settingPath } from './harness.ts';
import { TemporaryFolder } from './temporary-folder.ts';
import { addApiKey, addOrganisation } from './tenants.ts';

/** A whole service in this process, with whatever ports its environment gives it. */
export interface WatchedService {
  readonly service: Service;
  readonly store: Store;
  readonly databasePath: string;
  readonly log: string[];
  /** The address of an operation that `headers` may call. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly ops: (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

export async function startWatchedService(
  environment: NodeJS.ProcessEnv,
  wrap: (store: Store) => Store = (store) => store,
): Promise<WatchedService> {
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
    url: `http://127.0.0.1:${service.port}${settingPath}`,
    headers,
    ops: async (path, init) => {
      const response = await fetch(`http://127.0.0.1:${service.opsPort}${path}`, { ...init, headers: { connection } });
      return { status: response.status, text: await response.text() };
    },
    close: afterwards(async () => {
      await close();
      await store.close();
    }),
  };
}
