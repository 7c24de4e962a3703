/**
 * Each connection needs its own PostgreSQL session, because timeouts and prepared statements belong to the session. A
 * pooler such as PgBouncer drops the settings, or assigns the session to another client after each transaction. Waits
 * then have no timeout, and every write fails.
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
 * Opens a second connection with the settings of a server, and checks that both connections have their own sessions.
 * @throws {StoreOpenError} if they do not; the error of `pg` if the connection cannot be opened
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
