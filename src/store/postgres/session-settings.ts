/**
 * The settings of a server's sessions. A server sets them for each session that it opens. Behind a pooler in
 * transaction mode, the pooler opens the sessions, so the settings must belong to the role (`ALTER ROLE`).
 */
import type pg from 'pg';
import { StoreOpenError } from '../errors.ts';
import { databaseUrl, nameItself, sqlState, withClient } from './client.ts';

/** The timeouts of PostgreSQL, in milliseconds. */
export const sessionBounds = {
  lock_timeout: 5000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** The timeout of the client, for a server that does not respond, or a pooler without a free connection. */
export const clientBounds = { query_timeout: 12_000 };

/**
 * After waiting for a row, a statement sees its newest version. A commit is confirmed only once it is on disk, whatever
 * the database's configuration (decision D25). A stricter `synchronous_commit`, which also waits for replicas, is kept.
 */
const needed = {
  ...sessionBounds,
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  synchronous_commit: 'on',
};

const values = Object.entries(needed).map(([name, value]) => `('${name}', '${value}')`);
const settings = `pg_settings JOIN (VALUES ${values.join(', ')}) AS needed (name, value) USING (name)`;
const isUnmet = "CASE name WHEN 'synchronous_commit' THEN setting = 'off' ELSE setting <> value END";
// Settings that already have the needed value are set too, because the configuration may change during a session.
const kept = `CASE WHEN ${isUnmet} THEN value ELSE setting END`;

export const setForSession = `SELECT set_config(name, ${kept}, false) FROM ${settings}`;

/** Selects the settings that are not in force in a session, as one row. */
export const selectUnmet = `
  SELECT current_user AS "user", string_agg(format('%s is %s, not %s', name, setting, value), '; ' ORDER BY name) AS unmet
  FROM ${settings} WHERE ${isUnmet}`;

export interface Unmet {
  readonly user: string;
  /** Null if all are in force. */
  readonly unmet: string | null;
}

/** @throws {StoreOpenError} with the settings that are not in force, and the command that sets them */
export async function requireSettings(client: pg.Client, database: string): Promise<void> {
  const [{ user, unmet }] = (await client.query<Unmet & object>(selectUnmet)).rows as [Unmet];
  if (unmet === null) return;
  throw new StoreOpenError(
    `The user ${user} lacks settings in the database ${database} that a server behind a connection pooler needs: ${unmet}. ` +
      `${askRole(user)}; then let the pooler open new connections (RECONNECT, for PgBouncer).`,
  );
}

const askRole = (user: string) =>
  `Run this as ${user}, with a direct connection to PostgreSQL in DATABASE_URL: ` +
  'DATABASE_POOLER=transaction document-analysis store migrate';

// Keeps a stricter `synchronous_commit` of the role, which also waits for replicas.
const selectStatements = `
  SELECT role, string_agg(format('ALTER ROLE %I IN DATABASE %I SET %s = %L', role, current_database(), name, ${kept}), '; ')
    AS statements
  FROM coalesce($1, current_user) AS role, ${settings}
  WHERE name <> 'synchronous_commit' OR setting = 'off' OR NOT EXISTS (
    SELECT FROM pg_db_role_setting WHERE setrole = quote_ident(role)::regrole AND setconfig::text ~ 'synchronous_commit=')
  GROUP BY role`;

/** Sets the settings of a role, by default the user of the connection, for its future sessions. Returns its name. */
export async function giveSettings(client: pg.Client, serverRole?: string): Promise<string> {
  const { rows } = await client.query<{ role: string; statements: string }>(selectStatements, [serverRole ?? null]);
  const [{ role, statements }] = rows as [{ role: string; statements: string }];
  try {
    await client.query(statements);
    return role;
  } catch (cause) {
    if (sqlState(cause) !== '42501') throw cause;
    throw new StoreOpenError(`The user may not change the settings of the role ${role}. ${askRole(role)}`, { cause });
  }
}

const readSession = `
  SELECT pg_backend_pid() AS pid, current_setting('lock_timeout') = '5s' AND current_setting('statement_timeout') = '10s'
    AS bounded`;

/**
 * Checks that a second connection has a session and settings of its own, to which timeouts and prepared statements belong.
 * A pooler drops the settings, or gives the session to another client after each transaction.
 */
export async function requireOwnSession(beside: pg.Client, url: string): Promise<void> {
  const sessionOf = async (client: pg.Client) =>
    (await client.query<{ pid: number; bounded: boolean }>(readSession)).rows[0];
  await withClient({ url, place: databaseUrl, ...sessionBounds, ...clientBounds }, async (client, name) => {
    const [own, other] = [await sessionOf(client), await sessionOf(beside)];
    if (own?.bounded === true && own.pid !== other?.pid) return;
    const fault = own?.bounded === true ? 'shares sessions among clients' : 'drops the settings of a session';
    throw new StoreOpenError(
      `The database ${name} is reached through a connection pooler that ${fault}. ${nameItself(databaseUrl)}`,
    );
  });
}
