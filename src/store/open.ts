import cluster from 'node:cluster';
import { dirname } from 'node:path';
import type { Config } from '../runtime/config.ts';
import type { OnReplica } from './postgres/replica.ts';
import { openSqliteStore } from './sqlite/open.ts';
import type { Store } from './store.ts';

/**
 * Opens the store of the configuration: PostgreSQL if a database is named, else the embedded one. Its driver is loaded
 * only if it is needed.
 * @throws {StoreOpenError} if that cannot be done
 */
export async function openStore(
  { database, databasePath, region }: Pick<Config, 'database' | 'databasePath' | 'region'>,
  onReplica?: OnReplica,
): Promise<Store> {
  // The primary process has made the file: a worker that finds none must not serve from an empty one.
  if (!database) return openSqliteStore(databasePath, cluster.isWorker);
  const { openPostgresStore } = await import('./postgres/open.ts');
  return openPostgresStore(database, region, onReplica, dirname(databasePath));
}
