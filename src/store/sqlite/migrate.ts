import type { Database } from 'better-sqlite3';
import { StoreOpenError } from '../errors.ts';
import { initial } from './migrations/0001-initial.ts';
import { caseRevision } from './migrations/0002-case-revision.ts';
import { analysis } from './migrations/0003-analysis.ts';
import { companyRegister } from './migrations/0004-company-register.ts';
import { credentialUse } from './migrations/0005-credential-use.ts';
import { analysisTurns } from './migrations/0006-analysis-turns.ts';
import { corporationRegister } from './migrations/0007-corporation-register.ts';
import { evidenceRechecks } from './migrations/0008-evidence-rechecks.ts';
import { analysisByContent } from './migrations/0009-analysis-by-content.ts';

/** All migrations, oldest first. The database's `user_version` is the number of applied migrations. */
export const migrations = [
  initial,
  caseRevision,
  analysis,
  companyRegister,
  credentialUse,
  analysisTurns,
  corporationRegister,
  evidenceRechecks,
  analysisByContent,
];

/** The `user_version` of a fully migrated database. */
export const schemaVersion = migrations.length;

/**
 * Migrates a database to this program's schema in one transaction, so that several processes can start at once. It does
 * not lock an up-to-date database, so that it can be opened during a long write.
 * @throws {StoreOpenError} if a newer program has migrated it
 */
export function migrate(database: Database, path: string): void {
  if (versionOf(database) === schemaVersion) return;
  database
    .transaction(() => {
      const version = versionOf(database);
      if (version > schemaVersion)
        throw new StoreOpenError(
          `The database ${path} has schema version ${version}, but this program supports versions up to ` +
            `${schemaVersion} only. Start the program version that last used it, or a newer one.`,
        );
      for (const migration of migrations.slice(version)) database.exec(migration);
      database.exec(`PRAGMA user_version = ${schemaVersion}`);
    })
    .immediate();
}

function versionOf(database: Database): number {
  return Number(database.prepare<[], number>('PRAGMA user_version').pluck().get());
}
