import pg from 'pg';
import { connectionOptions, describeDatabase } from './database-url.ts';
import { clientBounds, sessionBounds, setForSession } from './session-settings.ts';

/** A pool of connections to a database. */
export interface Database {
  readonly pool: pg.Pool;
  /** The name in messages. */
  readonly name: string;
  /**
   * Whether the connections go through a pooler in transaction mode. If so, a transaction must not rely on the state of
   * the session.
   */
  readonly pooled: boolean;
}

/** Opens the connection pool of a store or of its replica. */
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
