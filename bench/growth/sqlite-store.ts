import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openDatabase, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type Dialect, insertions, sampleOf } from './rows.ts';
import { addTenants, casesOfInsertion, type GrowingStore, organisations, ownedBy, type OwnedRow } from './store.ts';

const dialect: Dialect = {
  uuid: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
    || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
  numbers: (name, count) =>
    `(WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${count}) SELECT i FROM numbers) ${name}`,
  time: (seconds) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', 1772000000 + ${seconds}, 'unixepoch')`,
};

/** Creates an empty database in a folder, which the caller removes. */
export async function createSqliteStore(folder: string): Promise<GrowingStore> {
  const file = join(folder, 'document-analysis-uk.sqlite');
  const store = openSqliteStore(file);
  const tenants = await addTenants(store);
  await store.close();
  let cases = 0;

  return {
    environment: {},
    tenants,
    add: (count, filesOfEach, wanted, tell) => {
      const database = openDatabase(file);
      try {
        database.pragma('synchronous = OFF');
        database.pragma('cache_size = -1000000');
        const rows: OwnedRow[] = [];
        withoutTriggersOfFiles(database, () => {
          for (let left = count; left > 0; left -= casesOfInsertion) {
            const insertion = { cases: Math.min(left, casesOfInsertion), filesOfEach, first: cases, organisations };
            for (const statement of insertions(dialect, insertion)) database.exec(statement);
            cases += insertion.cases;
            tell?.(count - left + insertion.cases);
          }
          rows.push(...database.prepare<[], OwnedRow>(sampleOf(wanted)).all());
        });
        return Promise.resolve(ownedBy(tenants, rows));
      } finally {
        database.close();
      }
    },
    settle: () => {
      const database = openDatabase(file);
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
      return Promise.resolve();
    },
    bytes: async () => (await stat(file)).size,
    remove: () => Promise.resolve(),
  };
}

/** Drops the triggers that renew a case's revision with each file, which is pointless for new cases. */
function withoutTriggersOfFiles(database: Database, work: () => void): void {
  const triggers = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'case_file'",
    )
    .all();
  database
    .transaction(() => {
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
      work();
      for (const { sql } of triggers) database.exec(sql);
    })
    .immediate();
}
