/**
 * A connection must have a session of PostgreSQL for itself: the bounds of waits are settings of the session, and what it has
 * prepared stays there. A pooler such as PgBouncer drops the settings, or gives the session to another client after each
 * transaction. Then waits have no bound, and each write fails.
 */
import pg from 'pg';
import { StoreOpenError } from '../errors.ts';
import { connectionOptions, nameItself } from './database-url.ts';
import { clientBounds, sessionBounds } from './session-settings.ts';

const readSession = `
  SELECT pg_backend_pid() AS pid, current_setting('lock_timeout')::interval = $1::interval
    AND current_setting('statement_timeout')::interval = $2::interval AS bounded`;

interface Session {
  pid: number;
  bounded: boolean;
}

/**
 * Opens a connection as a server does, beside one that is open.
 * @throws {StoreOpenError} if either has no session for itself; what `pg` says if it cannot be opened
 */
export async function requireOwnSession(beside: pg.Client, url: string, name: string, place: string): Promise<void> {
  const client = new pg.Client({ ...connectionOptions(url), ...sessionBounds, ...clientBounds });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [own, other] = [await sessionOf(client), await sessionOf(beside)];
    if (own.bounded && own.pid !== other.pid) return;
    throw new StoreOpenError(
      `The database ${name} is reached through a connection pooler that ` +
        `${own.bounded ? 'shares sessions among clients' : 'drops the settings of a session'}. ${nameItself(place)}`,
    );
  } finally {
    await client.end();
  }
}

async function sessionOf(client: pg.Client): Promise<Session> {
  const bounds = [sessionBounds.lock_timeout, sessionBounds.statement_timeout].map((bound) => `${bound}ms`);
  return (await client.query<Session & object>(readSession, bounds)).rows[0] as Session;
}
