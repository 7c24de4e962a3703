import type { Region } from '../../domain/region.ts';
import { connect, openError } from './database-url.ts';
import { migrate } from './migrate.ts';
import { requireOwnSession } from './own-session.ts';
import { readUser, requireRights, warningOf } from './rights.ts';

const variable = 'DATABASE_URL';

/** A database with this program's schema. */
export interface PreparedDatabase {
  readonly name: string;
  /** What an operator should change about the user that connected, if anything. */
  readonly warning: string | undefined;
}

/**
 * Migrates a database, and gives a role the rights of a server there if one is named.
 * @throws {StoreOpenError} if that cannot be done, the user lacks a right that a server needs, or a pooler stands between
 */
export async function prepareDatabase(url: string, region: Region, serverRole?: string): Promise<PreparedDatabase> {
  const { client, name } = await connect(url, variable);
  try {
    await requireOwnSession(client, url, name, variable);
    await migrate(client, name, region, serverRole);
    await requireRights(client, name);
    return { name, warning: warningOf(await readUser(client), name) };
  } catch (error) {
    throw openError(name, variable, error);
  } finally {
    await client.end();
  }
}
