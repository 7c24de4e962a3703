import { createHash } from 'node:crypto';
import pRetry from 'p-retry';
import pg from 'pg';
import type { CompiledQuery } from 'kysely';
import type { Authorisation, HeldRights } from '../store.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Access, type Result, runInTurn } from '../statements.ts';
import { connectionOptions, describeDatabase, isContention, isUndone, translate } from './client.ts';
import { clientBounds, sessionBounds, setForSession } from './session-settings.ts';

const contentionRetry = {
  retries: 10,
  minTimeout: 10,
  factor: 2,
  maxTimeout: 500,
  maxRetryTime: 5000,
  randomize: true,
  shouldRetry: ({ error }: { error: unknown }) => isContention(error),
};

/** Whether PostgreSQL can store a text. It rejects other texts in comparisons, too. */
export function canHold(text: string): boolean {
  return !text.includes('\0');
}

export interface Database {
  readonly pool: pg.Pool;
  readonly name: string;
  /** Whether the connections go through a pooler in transaction mode: a transaction must not rely on the session's state. */
  readonly pooled: boolean;
}

export function openPool(url: string, size: number, pooled = false): Database {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    ...clientBounds,
    idleTimeoutMillis: 60_000,
    max: size,
    // The pool waits for `onConnect` before it lends the connection.
    ...(!pooled && { ...sessionBounds, onConnect: (client): unknown => client.query(setForSession) }),
  });
  // The next statement reports a lost connection; without a listener its event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { pool, name: describeDatabase(url), pooled };
}

/**
 * Runs SQL. With values, it is a statement that each connection prepares at its first use and then executes by name, but
 * through a pooler it is parsed each time, because the next call may reach another session. Rejects with PostgreSQL's
 * error, or with a `StoreUnavailableError` if the cause is elsewhere.
 */
export type Query = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<pg.QueryResult<R>>;

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16);
  names.set(text, name);
  return name;
}

/** The callers of a write, and the rights that authorised it, as `hold_rights` returns them. */
export interface ExpectedRights {
  readonly credential_ids: readonly string[];
  readonly organisation_ids: readonly string[];
  readonly expected: readonly (string | null)[];
}

/** The result of a write that depends on rights: null if they are as expected, and otherwise the current rights. */
export interface Held {
  held: readonly (string | null)[] | null;
}

/** The maximum number of runs of a write while rights keep changing. */
const mostRuns = 10;

export class Connection {
  readonly #database: Database;
  readonly #authorisation: Authorisation | undefined;

  /** With an authorisation, each write checks it first. */
  constructor(database: Database, authorisation?: Authorisation) {
    this.#database = database;
    this.#authorisation = authorisation;
  }

  /** Runs one statement in its own transaction. It is for reads, because it checks no authorisation. */
  readonly query: Query = (text, values) => this.#borrow((query) => query(text, values));

  /** How the parts that are written with Kysely use these connections. */
  readonly access: Access = {
    engine: 'postgres',
    read: (statements) => this.#borrow((query) => runInTurn(statements(), executeWith(query))),
    // Retries after contention with another transaction, but never if the outcome is unknown.
    write: (statements) =>
      this.#retried(async (query) => {
        await this.#begin(query);
        const result = await runInTurn(statements(), executeWith(query));
        await commit(() => query('COMMIT'));
        return result;
      }),
  };

  async readSnapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#borrow(async (query) => {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await work(query);
      await query('COMMIT');
      return result;
    });
  }

  /** Writes with one statement in its own transaction, without checking authorisation. Returns its rows. */
  async writeAtOnce<R extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<R[]> {
    return this.#retried(async (query) => (await commit(() => query<R>(text, values))).rows);
  }

  /**
   * Checks the authorisation with the rights that were last read, and runs a write that locks the current rights. If
   * they differ, the write changes nothing and returns them; it runs again after they have been checked.
   */
  async withExpectedRights<R extends Held>(write: (expected: ExpectedRights) => Promise<R>): Promise<R> {
    const { callers = [], check } = this.#authorisation ?? {};
    const ids = {
      credential_ids: callers.map(({ credentialId }) => credentialId),
      organisation_ids: callers.map(({ organisationId }) => organisationId),
    };
    let expected: ExpectedRights['expected'] = callers.map(({ prefetched }) => prefetched?.rights ?? noneKnown);
    for (let runs = 0; runs < mostRuns; runs += 1) {
      if (!expected.includes(noneKnown)) check?.(expected.map(rightsOf));
      const result = await write({ ...ids, expected });
      if (result.held === null) return result;
      expected = result.held;
    }
    throw new StoreUnavailableError(
      `The database ${this.#database.name} cannot be used: the rights of a caller keep changing`,
    );
  }

  async #retried<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return pRetry(() => this.#borrow(work), contentionRetry);
  }

  /** Begins a transaction. The same round trip reads and locks the callers' rights, which are then checked. */
  async #begin(query: Query): Promise<void> {
    const { callers = [], check } = this.#authorisation ?? {};
    const holdRights = callers.map(({ credentialId, organisationId }) => {
      const values = [credentialId, organisationId].map((id) => pg.escapeLiteral(id));
      return `SELECT hold_rights(${values.join(', ')})`;
    });
    const results: unknown = await query(['BEGIN', ...holdRights].join('; '));
    if (!check) return;
    const rights = (results as pg.QueryResult<{ hold_rights: string | null }>[]).slice(-callers.length);
    check(rights.map(({ rows: [row] }) => rightsOf(row?.hold_rights ?? null)));
  }

  /** Lends a connection. After any failure it is closed, because it may be broken or still in a transaction. */
  async #borrow<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const { pool, name, pooled } = this.#database;
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw translate(error, name);
    }
    let failed = true;
    try {
      const result = await work(async (text, values) => {
        const prepared = values && { values, ...(!pooled && { name: nameOf(text) }) };
        try {
          return await client.query({ text, ...prepared });
        } catch (error) {
          throw translate(error, name);
        }
      });
      failed = false;
      return result;
    } finally {
      client.release(failed);
    }
  }
}

const executeWith =
  (query: Query) =>
  async ({ sql, parameters }: CompiledQuery): Promise<Result> => {
    const { rows, rowCount } = await query(sql, [...parameters]);
    return { rows, count: rowCount ?? 0 };
  };

/** Runs a commit. If the connection is lost during the commit, the outcome is unknown. */
export async function commit<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StoreUnavailableError && !isUndone(error)) error.outcomeUnknown = true;
    throw error;
  }
}

/** The placeholder for rights that have not been read yet. */
const noneKnown = '';

/** Parses a result of `hold_rights`, which is null if there is no such organisation. */
function rightsOf(text: string | null): HeldRights | undefined {
  if (text === null) return undefined;
  const { credential, ...held } = JSON.parse(text) as Omit<HeldRights, 'credential'> & {
    credential: HeldRights['credential'] | null;
  };
  return { credential: credential ?? undefined, ...held };
}
