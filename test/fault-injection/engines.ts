import Sqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { postgresMissing, startPostgresCluster } from './postgres-cluster.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from './scenario.ts';

/** The storage of a server, which this process inspects independently of the server. */
export interface Engine {
  readonly environment: NodeJS.ProcessEnv;
  openStore(): Promise<Store>;
  /** The faults of the database itself. Waits until no transaction of a server is open. */
  damages(): Promise<string[]>;
}

/** Works with a store of its own, beside the server. */
export async function withStore<T>(engine: Engine, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await engine.openStore();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The same scenario on each engine. */
export function onEachEngine(
  name: string,
  facts: Pick<Scenario, 'fault' | 'holds'>,
  run: (engine: Engine, context: ScenarioContext) => Promise<ScenarioResult>,
): Scenario[] {
  return [
    { ...facts, name: `${name}-sqlite`, run: (context) => run(sqliteEngine(context.folder), context) },
    {
      ...facts,
      name: `${name}-postgres`,
      missing: postgresMissing,
      run: async (context) => run(postgresEngine((await startPostgresCluster(context.folder)).url), context),
    },
  ];
}

/** The database file in the data directory of a server. */
export const databasePathIn = (folder: string) => `${folder}/document-analysis-uk.sqlite`;

export function sqliteEngine(folder: string): Engine {
  const path = databasePathIn(folder);
  return {
    environment: { DATA_DIR: folder },
    openStore: () => Promise.resolve(openSqliteStore(path)),
    damages: () => {
      const database = new Sqlite(path, { timeout: 5000 });
      const result = String(database.pragma('integrity_check', { simple: true }));
      database.close();
      return Promise.resolve(result === 'ok' ? [] : [`the database is damaged: ${result}`]);
    },
  };
}

export function postgresEngine(url: string): Engine {
  return {
    environment: { DATABASE_URL: url },
    openStore: () => openPostgresStore({ url, poolSize: 1 }, 'uk'),
    damages: async () => {
      const client = new pg.Client(url);
      await client.connect();
      try {
        for (let attempt = 0; attempt < 1200; attempt += 1) {
          if ((await client.query(selectBusy)).rowCount === 0) return [];
          await sleep(25);
        }
        return ['a transaction of a server is still open half a minute later'];
      } finally {
        await client.end();
      }
    },
  };
}

/** PostgreSQL may still execute a statement of a killed server process. */
const selectBusy = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state NOT IN ('idle', 'disabled')`;
