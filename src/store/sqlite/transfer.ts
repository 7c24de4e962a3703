import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import { currentVersion } from '../schema/migrations.ts';
import type { Cell, ColumnType, Row, Table } from '../tables.ts';
import type { Rows, Target, Transferable } from '../transfer.ts';
import { isBusy } from './connection.ts';
import { DatabaseFile } from './database-file.ts';
import { versionOf } from './migrate.ts';
import { openDatabase } from './open.ts';

const rowsOfPart = 500;
const busyTimeoutMilliseconds = 5000;

const selected: Record<ColumnType, (name: string) => string> = {
  text: (name) => name,
  integer: (name) => name,
  boolean: (name) => name,
  bytes: (name) => `lower(hex(${name}))`,
};

/** A SQLite file as the source or the target of a copy. */
export function sqliteTransferable(path: string): Transferable {
  const within = async <T>(database: Database, begin: string, work: () => Promise<T>): Promise<T> => {
    try {
      beginWith(database, begin);
      const result = await work();
      database.exec('COMMIT');
      return result;
    } finally {
      database.close();
    }
  };
  return {
    name: path,
    dataDir: dirname(path),
    read: async (work) => {
      const database = openSource(path);
      return within(database, 'BEGIN', () => work(rowsOf(database)));
    },
    write: async (work) => {
      const database = openDatabase(path);
      const file = new DatabaseFile(path);
      return within(database, 'BEGIN IMMEDIATE', async () => {
        const result = await work(targetOf(database));
        file.requireWritable();
        return result;
      }).finally(() => {
        file.close();
      });
    },
  };
}

function beginWith(database: Database, begin: string): void {
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}; ${begin}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new StoreUnavailableError(`The database ${database.name} cannot be used: it is locked`, { cause: error });
  }
}

/**
 * Opens an existing file, without creating or migrating it.
 * @param done the participle for error messages
 * @param oldest the oldest supported schema version
 */
export function openSource(path: string, done = 'copied', oldest = currentVersion()): Database {
  const advice = 'Name the file of a store that this program version has used.';
  let database: Database | undefined;
  try {
    database = new Sqlite(path, { fileMustExist: true });
    const version = versionOf(database);
    if (version < oldest || version > currentVersion())
      throw new Error(
        `it has schema version ${version}, not ${oldest === currentVersion() ? '' : `${oldest} to `}${currentVersion()}`,
      );
    return database;
  } catch (error) {
    database?.close();
    const { message } = error as Error;
    throw new StoreOpenError(`The database ${path} cannot be ${done}: ${message}. ${advice}`, { cause: error });
  }
}

function rowsOf(database: Database): Rows {
  return {
    count: ({ name }) => {
      const count = database.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck();
      return Promise.resolve(Number(count.get()));
    },
    // oxlint-disable-next-line @typescript-eslint/require-await -- SQLite responds at once; others of this interface do not
    async *parts({ name, columns, key }) {
      const names = Object.entries(columns).map(([column, type]) => selected[type](column));
      const select = database
        .prepare<[], Row>(`SELECT ${names.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`)
        .raw();
      let part: Row[] = [];
      for (const row of select.iterate()) {
        part.push(row);
        if (part.length < rowsOfPart) continue;
        yield part;
        part = [];
      }
      if (part.length > 0) yield part;
    },
  };
}

function targetOf(database: Database): Target {
  const inserts = new Map<string, Sqlite.Statement<Cell[]>>();
  const insertInto = (table: Table): Sqlite.Statement<Cell[]> => {
    const known = inserts.get(table.name);
    if (known) return known;
    const values = Object.values(table.columns).map((type) => (type === 'bytes' ? 'unhex(?)' : '?'));
    const insert = database.prepare<Cell[]>(
      `INSERT INTO ${table.name} (${Object.keys(table.columns).join(', ')}) VALUES (${values.join(', ')})`,
    );
    inserts.set(table.name, insert);
    return insert;
  };
  return {
    ...rowsOf(database),
    clear: ({ name }) => {
      database.exec(`DELETE FROM ${name}`);
      return Promise.resolve();
    },
    load: (table, rows) => {
      const insert = insertInto(table);
      for (const row of rows) insert.run(...row);
      return Promise.resolve();
    },
  };
}
