import type pg from 'pg';
import type { Region } from '../../domain/region.ts';
import { withClient } from './database-url.ts';
import { migrate, refuseUnfitEngine, requireCurrent } from './migrate.ts';
import { readUser, requireRights, warningOf } from './rights.ts';
import { clientBounds, giveSettings, requireOwnSession, requireSettings } from './session-settings.ts';

const variable = 'DATABASE_URL';

/** A database with this program's schema. */
export interface PreparedDatabase {
  readonly name: string;
  /** What an operator should change about the user that connected, if anything. */
  readonly warning: string | undefined;
  /** The role that received the settings for servers behind a pooler, if requested. */
  readonly pooledRole?: string | undefined;
}

/** Optional steps of the preparation. */
export interface Preparation {
  /** The role that is granted the rights of a server. */
  readonly serverRole?: string | undefined;
  /** Whether servers use a pooler. If so, `serverRole`, by default the connected user, receives the settings for it. */
  readonly pooled?: boolean | undefined;
}

/**
 * Migrates a database, and grants a role the rights that servers need.
 * @throws {StoreOpenError} if that fails, the user lacks a right that a server needs, or the URL is that of a pooler
 */
export function prepareDatabase(
  url: string,
  region: Region,
  { serverRole, pooled = false }: Preparation = {},
): Promise<PreparedDatabase> {
  return withClient(url, variable, (client, name, opening) =>
    opening(async () => {
      await requireOwnSession(client, url, name, variable);
      await migrate(client, name, region, serverRole);
      const prepared = await requireServable(client, name);
      return pooled ? { ...prepared, pooledRole: await giveSettings(client, serverRole) } : prepared;
    }),
  );
}

/**
 * Checks a database behind a pooler in transaction mode. It uses one transaction, because each transaction may run in a
 * different session.
 * @throws {StoreOpenError} if the schema is not this program's, or the user lacks a setting or a right that a server needs
 */
export function checkPooledDatabase(url: string, region: Region): Promise<PreparedDatabase> {
  const check = async (client: pg.Client, name: string) => {
    await client.query('BEGIN READ ONLY');
    await requireSettings(client, name);
    await refuseUnfitEngine(client, name);
    await requireCurrent(client, name, region, migrateBeside);
    const prepared = await requireServable(client, name);
    await client.query('COMMIT');
    return prepared;
  };
  return withClient(url, variable, (client, name, opening) => opening(() => check(client, name)), clientBounds);
}

const migrateBeside =
  'It cannot be migrated through a pooler: ' +
  `set ${variable} to a direct connection to PostgreSQL, and run: document-analysis store migrate`;

async function requireServable(client: pg.Client, name: string): Promise<PreparedDatabase> {
  await requireRights(client, name);
  return { name, warning: warningOf(await readUser(client), name) };
}
