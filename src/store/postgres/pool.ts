import pg from 'pg';
import { connectionOptions } from './database-url.ts';

/** The server gives up first, then the client, for a server that has fallen silent. */
export const sessionBounds = {
  lock_timeout: 5000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** The pool of a store or of its replica. */
export function openPool(url: string, size: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    ...sessionBounds,
    idleTimeoutMillis: 60_000,
    max: size,
  });
  // A lost connection is told by the statement that needs it; without listeners its event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
