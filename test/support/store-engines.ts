import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Case } from '../../src/domain/case.ts';
import type { CaseSource } from '../../src/store/case-texts/case-source.ts';
import type { JsonText } from '../../src/store/case-texts/json-text.ts';
import { postgresCaseSource } from '../../src/store/postgres/requests.ts';
import { Connection as PostgresConnection, openPool } from '../../src/store/postgres/connection.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/requests.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from './describe-postgres.ts';
import type { TestDatabase } from './postgres.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** An empty store, and ways beneath and beside it to its data. */
export interface StoreEngine {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly store: Store;
  /** The path of its file, which a data directory may have, or the URL of its database. */
  readonly place: string;
  readonly folder: string;
  readonly source: CaseSource;
  /** Runs statements beside the program, as another program would. */
  beside(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Describes what holds on each engine, with an empty store for each test: to be read while a test runs. */
export function describeEngines(name: string, body: (engine: StoreEngine) => void): void {
  const withStores = (open: () => Promise<StoreEngine>) => {
    const engine = {} as StoreEngine;
    beforeEach(async () => {
      Object.assign(engine, await open());
    });
    body(engine);
    afterEach(() => engine.close());
  };
  describe(`${name}, on SQLite`, () => {
    withStores(openSqlite);
  });
  describeDatabase(`${name}, on PostgreSQL`, (database) => {
    withStores(() => openPostgres(database));
  });
}

export async function openSqlite(): Promise<StoreEngine> {
  const folder = await TemporaryFolder.make();
  const place = join(folder.path, 'document-analysis-uk.sqlite');
  const store = openSqliteStore(place);
  const [other, beneath] = [new Sqlite(place), new Sqlite(place)];
  const source = sqliteCaseSource(new SqliteConnection(beneath));
  return {
    engine: 'SQLite',
    store,
    place,
    folder: folder.path,
    source,
    // oxlint-disable-next-line @typescript-eslint/require-await -- the other engine waits
    beside: async (sql) => {
      other.exec(sql);
    },
    close: async () => {
      source.close();
      for (const database of [beneath, other]) database.close();
      await store.close();
    },
  };
}

async function openPostgres(database: Pick<TestDatabase, 'emptyUrl' | 'openStore'>): Promise<StoreEngine> {
  const place = await database.emptyUrl();
  const folder = await TemporaryFolder.make();
  const store = await database.openStore(place);
  const beneath = openPool(place, 2);
  const other = new pg.Client(place);
  // A test that fails may leave it open when its database is dropped.
  other.on('error', () => undefined);
  await other.connect();
  return {
    engine: 'PostgreSQL',
    store,
    place,
    folder: folder.path,
    source: postgresCaseSource(new PostgresConnection(beneath)),
    beside: async (sql) => {
      await other.query(sql);
    },
    close: async () => {
      await Promise.all([other.end(), beneath.pool.end(), store.close()]);
    },
  };
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
