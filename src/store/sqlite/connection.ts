import Sqlite, { type Database, type Transaction } from 'better-sqlite3';
import pRetry from 'p-retry';
import { StoreUnavailableError } from '../errors.js';
import { keepAlive } from './keep-alive.js';

/** SQLite's result codes for a fault that is not in the statement: somebody else holds the lock, or the disk fails. */
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)/;
const busy = /^SQLITE_BUSY/;

const busyRetry = { retries: 1000, minTimeout: 5, factor: 1.5, maxTimeout: 100, maxRetryTime: 5000 };

/** One open database. SQLite itself never waits for a lock here: that would stop the whole process from answering. */
export class Connection {
  readonly database: Database;
  readonly #transaction: Transaction<(work: () => unknown) => unknown>;

  constructor(database: Database) {
    this.database = database;
    this.#transaction = database.transaction((work) => work());
  }

  /** Compiles a statement. */
  readonly prepare: Database['prepare'] = (source: string) => keepAlive(this.database.prepare(source)) as never;

  /** Reads with one statement, which is a consistent snapshot by itself. */
  async read<T>(work: () => T): Promise<T> {
    return this.#translatingErrors(work);
  }

  /** Reads with several statements from one consistent snapshot. */
  async readSnapshot<T>(work: () => T): Promise<T> {
    return this.#translatingErrors(() => this.#transaction.deferred(work) as T);
  }

  /** Writes all or nothing. While another process holds the write lock, it tries again for up to five seconds. */
  async write<T>(work: () => T): Promise<T> {
    return this.#translatingErrors(() =>
      pRetry(() => this.#transaction.immediate(work) as T, {
        ...busyRetry,
        shouldRetry: ({ error }) => isBusy(error),
      }),
    );
  }

  async #translatingErrors<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Sqlite.SqliteError && unavailable.test(error.code))
        throw new StoreUnavailableError(`The database ${this.database.name} cannot be used: ${error.message}`, {
          cause: error,
        });
      throw error;
    }
  }
}

/** Whether a statement failed because another connection holds the lock that it needs. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && busy.test(error.code);
}

/** Whether a statement failed because an identifier or a name is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof Sqlite.SqliteError &&
    (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || error.code === 'SQLITE_CONSTRAINT_UNIQUE')
  );
}
