import Sqlite, { type Database, type Transaction } from 'better-sqlite3';
import pRetry from 'p-retry';
import { StoreUnavailableError } from '../errors.js';
import { keepAlive } from './keep-alive.js';

/** SQLite's result codes for a fault that is not in the statement: somebody else holds the lock, or the disk fails. */
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)/;
const busy = /^SQLITE_BUSY/;

const busyRetry = { retries: 1000, minTimeout: 5, factor: 1.5, maxTimeout: 100, maxRetryTime: 5000 };

/** A write that waits for its commit. */
interface Write {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One open database. SQLite itself never waits for a lock here: that would stop the whole process from answering. */
export class Connection {
  readonly database: Database;
  readonly #transaction: Transaction<(work: () => unknown) => unknown>;
  readonly #waiting: Write[] = [];

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

  /**
   * Writes all or nothing. Writes of one moment share a commit, since it is the commit that waits for the disk; each of them
   * stands or falls alone. While another process holds the write lock, it tries again for up to five seconds.
   */
  async write<T>(work: () => T): Promise<T> {
    return this.#translatingErrors(
      () =>
        new Promise<T>((resolve, reject) => {
          const write: Write = { work, resolve: resolve as Write['resolve'], reject };
          if (this.#waiting.push(write) === 1) setImmediate(() => void this.#commitWaiting());
        }),
    );
  }

  async #commitWaiting(): Promise<void> {
    const writes = this.#waiting.splice(0);
    try {
      const attempts = await pRetry(
        () => this.#transaction.immediate(() => writes.map((write) => this.#attempt(write))),
        {
          ...busyRetry,
          shouldRetry: ({ error }) => isBusy(error),
        },
      );
      for (const settle of attempts as (() => void)[]) settle();
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  }

  /** Does one of several writes within their transaction; tells how to settle it once that is committed. */
  #attempt({ work, resolve, reject }: Write): () => void {
    try {
      const result = this.#transaction(work);
      return () => {
        resolve(result);
      };
    } catch (error) {
      // Some faults, such as a full disk, end the whole transaction.
      if (!this.database.inTransaction) throw error;
      return () => {
        reject(error);
      };
    }
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
