import pg from 'pg';
import { connectionOptions } from './database-url.ts';

/** The server gives up first, then the client, for a server that has fallen silent. */
export const sessionBounds = {
  lock_timeout: 5000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * Each statement of a transaction sees what was committed before it: after waiting for a row, the newest. A commit is on disk
 * when it is told, even if the database was set up to be told earlier (decision D25).
 */
const ownSettings = `
  SET default_transaction_isolation = 'read committed';
  SET default_transaction_read_only = off;
  SELECT set_config(name, CASE setting WHEN 'off' THEN 'on' ELSE setting END, false)
  FROM pg_settings WHERE name = 'synchronous_commit'`;

/** The pool of a store or of its replica. */
export function openPool(url: string, size: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    ...sessionBounds,
    idleTimeoutMillis: 60_000,
    max: size,
    // The pool waits for it.
    onConnect: (client): unknown => client.query(ownSettings),
  });
  // A lost connection is told by the statement that needs it; without listeners its event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
