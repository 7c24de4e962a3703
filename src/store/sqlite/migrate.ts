import type { Database } from 'better-sqlite3';
import { currentVersion, migrationsFrom, refuseNewer } from '../schema/migrations.ts';

/**
 * Migrates a database to this program's schema in one transaction, so that several processes can start at once. It does
 * not lock an up-to-date database, so that it can be opened during a long write.
 * @throws {StoreOpenError} if a newer program has migrated it
 */
export function migrate(database: Database, path: string): void {
  if (versionOf(database) === currentVersion()) return;
  database
    .transaction(() => {
      const version = versionOf(database);
      refuseNewer(version, path);
      database.exec(migrationsFrom(version, 'sqlite'));
      database.exec(`PRAGMA user_version = ${currentVersion()}`);
    })
    .immediate();
}

/** The schema version of a database; 0 if it is new. */
export function versionOf(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}
