import pg from 'pg';
import { connectionOptions, describeDatabase } from './database-url.ts';
import { clientBounds, sessionBounds, setForSession } from './session-settings.ts';

/** The connections to a database. */
export interface Database {
  readonly pool: pg.Pool;
  /** As in messages. */
  readonly name: string;
  /**
   * Whether they lead to a pooler in transaction mode: then nothing may be left in a session, and nothing expected
   * there.
   */
  readonly pooled: boolean;
}

/** Opens the connections of a store or of its replica. */
export function openPool(url: string, size: number, pooled = false): Database {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    ...clientBounds,
    idleTimeoutMillis: 60_000,
    max: size,
    // The pool waits for it.
    ...(!pooled && { ...sessionBounds, onConnect: (client): unknown => client.query(setForSession) }),
  });
  // The next statement reports a lost connection; without a listener its event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { pool, name: describeDatabase(url), pooled };
}
