import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StoreOpenError } from '../errors.ts';
import { currentVersion } from '../schema/migrations.ts';
import { inParts } from '../statements.ts';
import { type Row, type Rows, rowsOfPart, type Transferable } from '../transfer.ts';
import { translate } from './connection.ts';
import { DatabaseFile } from './database-file.ts';
import { openDatabase, versionOf } from './open.ts';

export function sqliteTransferable(path: string): Transferable {
  const within = async <T>(database: Database, begin: string, work: (rows: Rows) => Promise<T>): Promise<T> => {
    try {
      database.exec(`PRAGMA busy_timeout = 5000; ${begin}`);
      const result = await work(rowsOf(database));
      database.exec('COMMIT');
      return result;
    } catch (error) {
      throw translate(error, path);
    } finally {
      database.close();
    }
  };
  return {
    name: path,
    dataDir: dirname(path),
    read: async (work) => within(openSource(path), 'BEGIN', work),
    write: async (work) => {
      const database = openDatabase(path);
      const file = new DatabaseFile(path);
      return within(database, 'BEGIN IMMEDIATE', async (rows) => {
        const result = await work(rows);
        file.requireWritable();
        return result;
      }).finally(() => {
        file.close();
      });
    },
  };
}

/** Opens an existing file as it is, of this version, or of the oldest that is supported. */
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

function rowsOf(database: Database): Rows {
  return {
    // oxlint-disable-next-line @typescript-eslint/require-await -- SQLite responds at once; others of this interface do not
    async *select(query) {
      for (const part of inParts(database.prepare<[], object>(query).iterate(), rowsOfPart)) yield part.map(asCells);
    },
    delete: (table) => {
      database.exec(`DELETE FROM ${table}`);
      return Promise.resolve();
    },
    insert: (table, rows) => {
      const columns = database.prepare(`SELECT * FROM ${table}`).columns();
      const values = columns.map(({ name, type }) => (type === 'BLOB' ? `unhex(substr(@${name}, 3))` : `@${name}`));
      const names = columns.map(({ name }) => name);
      const insert = database.prepare<Row>(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`);
      for (const row of rows) insert.run(row);
      return Promise.resolve();
    },
  };
}

function asCells(row: object): Row {
  const cellOf = (value: unknown) => (value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])) as Row;
}
