import { dirname } from 'node:path';
import type { Config } from '../config.js';
import type { OnReplica } from './postgres/replica.js';
import { openSqliteStore } from './sqlite/open.js';
import type { Store } from './store.js';

/**
 * Opens the store of the configuration: PostgreSQL if a database is named, else the embedded one. Its driver is loaded
 * only if it is needed.
 * @throws {StoreOpenError} if that cannot be done
 */
export async function openStore(
  { database, databasePath, region }: Pick<Config, 'database' | 'databasePath' | 'region'>,
  onReplica?: OnReplica,
): Promise<Store> {
  if (!database) return openSqliteStore(databasePath);
  const { openPostgresStore } = await import('./postgres/open.js');
  return openPostgresStore(database, region, onReplica, dirname(databasePath));
}
