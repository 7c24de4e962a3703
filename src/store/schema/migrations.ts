/** The schema of the store. A database keeps the number of applied migrations as its schema version. */
import { StoreOpenError } from '../errors.ts';
import type { Access } from '../statements.ts';
import { initial } from './0001-initial.ts';

/** All migrations, oldest first: SQL for an engine. A released one never changes. */
export const migrations: ((engine: Access['engine']) => string)[] = [initial];

export function currentVersion(): number {
  return migrations.length;
}

/** SQL that migrates a database from a version, to be run in one transaction. */
export function migrationsFrom(version: number, engine: Access['engine']): string {
  return migrations
    .slice(version)
    .map((migration) => migration(engine))
    .join('\n');
}

/** @throws {StoreOpenError} if a newer program has migrated a database */
export function refuseNewer(version: number, database: string): void {
  if (version > migrations.length)
    throw new StoreOpenError(
      `The database ${database} has schema version ${version}, but this program supports versions up to ` +
        `${migrations.length} only. Start the program version that last used it, or a newer one.`,
    );
}
