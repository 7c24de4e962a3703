import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from './describe-postgres.ts';
import type { TestDatabase } from './postgres.ts';
import { Writable } from 'node:stream';
import type { Case } from '../../src/domain/case.ts';
import type { JsonText } from '../../src/store/case-texts/json-text.ts';
import type { CaseSource } from '../../src/store/case-texts/case-source.ts';
import { postgresCaseSource } from '../../src/store/postgres/case-source.ts';
import { Connection as PostgresConnection, openPool } from '../../src/store/postgres/connection.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';

/** An empty store, and a way beside it to its data. */
export interface StoreEngine {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly store: Store;
  /** The path of its file, or the URL of its database. */
  readonly place: string;
  readonly folder: string;
  /** Runs statements beside the program, as another program would. */
  beside(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Describes what holds on each engine. */
export function describeEngines(name: string, body: (open: () => Promise<StoreEngine>) => void): void {
  describe(`${name}, on SQLite`, () => {
    body(openSqlite);
  });
  describeDatabase(`${name}, on PostgreSQL`, (database) => {
    body(() => openPostgres(database));
  });
}

async function openSqlite(): Promise<StoreEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-store-'));
  const place = join(folder, 'store.sqlite');
  const store = openSqliteStore(place);
  const other = new Sqlite(place);
  return {
    engine: 'SQLite',
    store,
    place,
    folder,
    // oxlint-disable-next-line @typescript-eslint/require-await -- the other engine waits
    beside: async (sql) => {
      other.exec(sql);
    },
    close: async () => {
      other.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openPostgres(database: Pick<TestDatabase, 'emptyUrl'>): Promise<StoreEngine> {
  const place = await database.emptyUrl();
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-store-'));
  const store = await openPostgresStore({ url: place, poolSize: 2 }, 'uk');
  const other = new pg.Client(place);
  // A test that fails may leave it open when its database is dropped.
  other.on('error', () => undefined);
  await other.connect();
  return {
    engine: 'PostgreSQL',
    store,
    place,
    folder,
    beside: async (sql) => {
      await other.query(sql);
    },
    close: async () => {
      await Promise.all([other.end(), store.close()]);
      await rm(folder, { recursive: true });
    },
  };
}

/** An empty store, and what stands beneath it and beside it. */
export interface CaseEngine extends StoreEngine {
  readonly source: CaseSource;
}

/** Describes what holds on each engine. */
export function describeCaseEngines(name: string, body: (open: () => Promise<CaseEngine>) => void): void {
  describeEngines(name, (open) => {
    body(async () => withSource(await open()));
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
  const write = (part: Buffer, _encoding: unknown, done: () => void) => {
    parts.push(Buffer.from(part));
    setImmediate(done);
  };
  return { destination: new Writable({ write }), taken: () => Buffer.concat(parts).toString() };
}

function withSource(opened: StoreEngine): CaseEngine {
  const { source, close } = opened.engine === 'SQLite' ? sqliteSource(opened.place) : postgresSource(opened.place);
  return {
    ...opened,
    source,
    close: async () => {
      await close();
      await opened.close();
    },
  };
}

function sqliteSource(path: string) {
  const database = new Sqlite(path);
  const source = sqliteCaseSource(new SqliteConnection(database));
  const close = () => {
    source.close();
    database.close();
  };
  return { source, close };
}

function postgresSource(url: string) {
  const database = openPool(url, 2);
  return { source: postgresCaseSource(new PostgresConnection(database)), close: () => database.pool.end() };
}
