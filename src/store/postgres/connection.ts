import pRetry from 'p-retry';
import type pg from 'pg';
import type { Authorisation } from '../authorisation.ts';
import { StoreUnavailableError } from '../errors.ts';
import { checkRights, holdRights } from './authorise.ts';
import { isContention, translate } from './faults.ts';
import type { Statement } from './statement.ts';

const contentionRetry = {
  retries: 10,
  minTimeout: 10,
  factor: 2,
  maxTimeout: 500,
  maxRetryTime: 5000,
  randomize: true,
};

/**
 * Begins a transaction in which each statement sees what was committed before it: after waiting for a row, the newest.
 * Its commit is on disk when it is told, even if the database was set up to be told earlier (decision D25).
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;

/** Runs a statement; rejects with PostgreSQL's error, or with a `StoreUnavailableError` if the fault lies elsewhere. */
export type Query = <R extends pg.QueryResultRow>(
  statement: Statement | string,
  values?: unknown[],
) => Promise<pg.QueryResult<R>>;

/** The pooled connections to one database. */
export class Connection {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #authorisation: Authorisation | undefined;

  /** With an authorisation, each write begins with its check. */
  constructor(pool: pg.Pool, name: string, authorisation?: Authorisation) {
    this.#pool = pool;
    this.#name = name;
    this.#authorisation = authorisation;
  }

  /** Runs one statement, which is a transaction of its own; it is for reads, since no authorisation is checked. */
  readonly query: Query = (statement, values) => this.#borrow((query) => query(statement, values));

  /** Reads with several statements from one consistent snapshot. */
  async readSnapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#borrow(async (query) => {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await work(query);
      await query('COMMIT');
      return result;
    });
  }

  /** Writes all or nothing. Undone because of another transaction, it is tried again; never if its outcome is unknown. */
  async write<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return pRetry(() => this.#borrow((query) => this.#transaction(query, work)), {
      ...contentionRetry,
      shouldRetry: ({ error }) => isContention(error),
    });
  }

  async #transaction<T>(query: Query, work: (query: Query) => Promise<T>): Promise<T> {
    await this.#begin(query);
    const result = await work(query);
    try {
      await query('COMMIT');
    } catch (error) {
      if (error instanceof StoreUnavailableError && !isContention(error)) error.outcomeUnknown = true;
      throw error;
    }
    return result;
  }

  /** Begins a transaction; what it depends on is read, and held as it is, in the same round trip. */
  async #begin(query: Query): Promise<void> {
    if (!this.#authorisation) await query(begin);
    else checkRights(this.#authorisation, await query([begin, ...holdRights(this.#authorisation)].join('; ')));
  }

  /** Lends a connection. One on which anything failed may be broken or in a transaction: it is given up, not reused. */
  async #borrow<T>(work: (query: Query) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw translate(error, this.#name);
    }
    let failed = true;
    try {
      const result = await work(
        async <R extends pg.QueryResultRow>(statement: Statement | string, values: unknown[] = []) => {
          try {
            return await client.query<R>(
              typeof statement === 'string' ? { text: statement } : { ...statement, values },
            );
          } catch (error) {
            throw translate(error, this.#name);
          }
        },
      );
      failed = false;
      return result;
    } finally {
      client.release(failed);
    }
  }
}
