import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import type { Case } from '../../src/domain/case.js';
import type { JsonText } from '../../src/json-text.js';
import type { CaseSource } from '../../src/store/case-source.js';
import { postgresCaseSource } from '../../src/store/postgres/case-source.js';
import { Connection as PostgresConnection } from '../../src/store/postgres/connection.js';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { openPool } from '../../src/store/postgres/pool.js';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.js';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.js';
import { keepAlive } from '../../src/store/sqlite/keep-alive.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import type { Store } from '../../src/store/store.js';
import { createTestDatabase, describePostgres, noPostgres, type TestDatabase } from './postgres.js';

/** An empty store, and what stands beneath it and beside it. */
export interface CaseEngine {
  readonly store: Store;
  readonly source: CaseSource;
  /** A folder of the test's own. */
  readonly folder: string;
  /** Runs a statement beside the program, as another program would. */
  beside(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Describes what holds on each engine. */
export function describeCaseEngines(name: string, body: (open: () => Promise<CaseEngine>) => void): void {
  describe(`${name}, on SQLite`, () => {
    body(openSqlite);
  });
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    if (noPostgres === undefined) database = await createTestDatabase();
  });
  afterAll(() => database?.drop());
  describePostgres(`${name}, on PostgreSQL`, () => {
    body(() => openPostgres(database as TestDatabase));
  });
}

/** The whole text, as a client reads it. */
export async function readText(json: JsonText<Case> | undefined): Promise<string | undefined> {
  if (!json) return undefined;
  const { destination, taken } = collect();
  await json.sendTo(destination);
  return taken();
}

/** A destination, and what it has taken. */
export function collect(): { destination: Writable; taken: () => string } {
  const parts: Buffer[] = [];
  const destination = new Writable({
    write: (part: Buffer, _encoding, done) => {
      parts.push(Buffer.from(part));
      setImmediate(done);
    },
  });
  return { destination, taken: () => Buffer.concat(parts).toString() };
}

async function openSqlite(): Promise<CaseEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-cases-'));
  const path = join(folder, 'store.sqlite');
  const store = openSqliteStore(path);
  const database = keepAlive(new Sqlite(path));
  const source = sqliteCaseSource(new SqliteConnection(database));
  const other = keepAlive(new Sqlite(path));
  return {
    store,
    source,
    folder,
    beside: (sql) => {
      other.exec(sql);
      return Promise.resolve();
    },
    close: async () => {
      source.close();
      for (const opened of [database, other]) opened.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openPostgres(database: TestDatabase): Promise<CaseEngine> {
  const url = await database.freshUrl();
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-cases-'));
  const store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
  const pool = openPool(url, 2);
  return {
    store,
    source: postgresCaseSource(new PostgresConnection(pool, 'of the test')),
    folder,
    beside: async (sql) => {
      await pool.query(sql);
    },
    close: async () => {
      await Promise.all([pool.end(), store.close()]);
      await rm(folder, { recursive: true });
    },
  };
}
