import { dirname } from 'node:path';
import type { Config } from '../runtime/config.ts';
import { openSqliteStore } from './sqlite/open.ts';
import type { Store } from './store.ts';

/**
 * Opens the configured store: PostgreSQL if a database is configured, otherwise the embedded store. PostgreSQL's driver
 * is loaded only if needed.
 * @throws {StoreOpenError} if the store cannot be opened
 */
export async function openStore({
  database,
  databasePath,
  region,
}: Pick<Config, 'database' | 'databasePath' | 'region'>): Promise<Store> {
  if (!database) return openSqliteStore(databasePath);
  const { openPostgresStore } = await import('./postgres/open.ts');
  return openPostgresStore(database, region, dirname(databasePath));
}
