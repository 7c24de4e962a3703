import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import { currentVersion } from '../schema/migrations.ts';
import { inParts } from '../statements.ts';
import type { Cell, Row, Rows, Target, Transferable } from '../transfer.ts';
import { isBusy } from './connection.ts';
import { DatabaseFile } from './database-file.ts';
import { openDatabase, versionOf } from './open.ts';

const rowsOfPart = 500;
const busyTimeoutMilliseconds = 5000;

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
    const supported = oldest === currentVersion() ? oldest : `${oldest} to ${currentVersion()}`;
    if (version < oldest || version > currentVersion())
      throw new Error(`it has schema version ${version}, not ${supported}`);
    return database;
  } catch (error) {
    database?.close();
    const { message } = error as Error;
    throw new StoreOpenError(`The database ${path} cannot be ${done}: ${message}. ${advice}`, { cause: error });
  }
}

/** The names of the columns of a table, and those of columns that hold bytes. */
function columnsOf(database: Database, table: string): { names: string[]; bytes: Set<string> } {
  const columns = database
    .prepare<[string], { name: string; type: string }>('SELECT name, type FROM pragma_table_info(?) ORDER BY name')
    .all(table);
  const bytes = columns.filter(({ type }) => type === 'BLOB');
  return { names: columns.map(({ name }) => name), bytes: new Set(bytes.map(({ name }) => name)) };
}

function rowsOf(database: Database): Rows {
  return {
    count: (table) => {
      const count = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
      return Promise.resolve(Number(count.get()));
    },
    // oxlint-disable-next-line @typescript-eslint/require-await -- SQLite responds at once; others of this interface do not
    async *parts({ name: table, key }) {
      const { names, bytes } = columnsOf(database, table);
      const cells = names.map((name) => (bytes.has(name) ? `lower(hex(${name}))` : name));
      const select = database
        .prepare<[], Row>(`SELECT ${cells.join(', ')} FROM ${table} ORDER BY ${key.join(', ')}`)
        .raw();
      yield* inParts(select.iterate(), rowsOfPart);
    },
  };
}

function targetOf(database: Database): Target {
  return {
    ...rowsOf(database),
    clear: (table) => {
      database.exec(`DELETE FROM ${table}`);
      return Promise.resolve();
    },
    load: ({ name: table }, rows) => {
      const { names, bytes } = columnsOf(database, table);
      const values = names.map((name) => (bytes.has(name) ? 'unhex(?)' : '?'));
      const insert = database.prepare<Cell[]>(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`,
      );
      for (const row of rows) insert.run(...row);
      return Promise.resolve();
    },
  };
}
