import { Writable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import type { Case } from '../../src/domain/case.ts';
import type { JsonText } from '../../src/store/case-texts/json-text.ts';
import type { CaseSource } from '../../src/store/case-texts/case-source.ts';
import { postgresCaseSource } from '../../src/store/postgres/case-source.ts';
import { Connection as PostgresConnection, openPool } from '../../src/store/postgres/connection.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/case-source.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { describeEngines, type StoreEngine } from './store-engines.ts';

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
  const destination = new Writable({
    write: (part: Buffer, _encoding, done) => {
      parts.push(Buffer.from(part));
      setImmediate(done);
    },
  });
  return { destination, taken: () => Buffer.concat(parts).toString() };
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

interface OpenedSource {
  source: CaseSource;
  close: () => Promise<void>;
}

function sqliteSource(path: string): OpenedSource {
  const database = new Sqlite(path);
  const source = sqliteCaseSource(new SqliteConnection(database));
  return {
    source,
    close: () => {
      source.close();
      database.close();
      return Promise.resolve();
    },
  };
}

function postgresSource(url: string): OpenedSource {
  const database = openPool(url, 2);
  return { source: postgresCaseSource(new PostgresConnection(database)), close: () => database.pool.end() };
}
