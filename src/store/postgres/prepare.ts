import type pg from 'pg';
import type { Region } from '../../domain/region.ts';
import { StoreOpenError } from '../errors.ts';
import { currentVersion, migrationsFrom, refuseNewer } from '../schema/migrations.ts';
import { askOwner, databaseUrl, withClient } from './client.ts';
import { clientBounds, giveSettings, requireOwnSession, requireSettings } from './session-settings.ts';

interface Preparation {
  /** The role that is granted the rights of a server. */
  readonly serverRole?: string | undefined;
  /** Whether servers use a pooler. If so, `serverRole`, by default the connected user, receives the settings for it. */
  readonly pooled?: boolean | undefined;
}

/**
 * Migrates a database, and grants a role the rights that servers need. Returns what an operator should change about the
 * user that connected, if anything, and the role that received the settings for a pooler. @throws {StoreOpenError}
 */
export function prepareDatabase(url: string, region: Region, { serverRole, pooled = false }: Preparation = {}) {
  return withClient({ url, place: databaseUrl }, async (client, name) => {
    await requireOwnSession(client, url);
    await migrate(client, name, region, serverRole);
    const warning = await checkUser(client, name);
    return { name, warning, pooledRole: pooled ? await giveSettings(client, serverRole) : undefined };
  });
}

/** Checks a database behind a pooler, in one transaction, because each may run in another session. */
export function checkPooledDatabase(url: string, region: Region) {
  return withClient({ url, place: databaseUrl, ...clientBounds }, async (client, name) => {
    await client.query('BEGIN READ ONLY');
    await requireSettings(client, name);
    await refuseUnfitEngine(client, name);
    await requireCurrent(client, name, region, migrateBeside);
    const warning = await checkUser(client, name);
    await client.query('COMMIT');
    return { name, warning };
  });
}

const migrateBeside =
  'It cannot be migrated through a pooler: ' +
  `set ${databaseUrl} to a direct connection to PostgreSQL, and run: document-analysis store migrate`;

/** The oldest major version that the PostgreSQL project still supported when this was written. */
const oldestEngine = 14;

/** An arbitrary key that no other program on the same database uses for a lock. */
const lockKey = 7_305_804_418;

const createState = `
  CREATE TABLE IF NOT EXISTS store (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    region text NOT NULL,
    schema_version integer NOT NULL
  )`;

interface State {
  region: string;
  schema_version: number;
}

/**
 * Migrates a database to this program's schema in one transaction, under a lock, so that several servers can start at
 * once. Grants the rights of a server to `serverRole`, if given; otherwise it does not lock an up-to-date database.
 * @throws {StoreOpenError} if a newer program has migrated it, it is of another region, or another user owns its tables
 */
export async function migrate(client: pg.Client, database: string, region: Region, serverRole?: string): Promise<void> {
  await refuseUnfitEngine(client, database);
  const state = await readState(client, database, region);
  if (state?.schema_version === currentVersion() && serverRole === undefined) return;
  if (state) {
    const { user, owner } = await readUser(client);
    const versions = `schema version ${state.schema_version}, this program needs version ${currentVersion()}`;
    if (!owner)
      throw new StoreOpenError(
        `The database ${database} has ${versions}, and the user ${user} may not change it. ${askOwner(user)}`,
      );
  }
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey]);
  await client.query(createState);
  await client.query('INSERT INTO store (region, schema_version) VALUES ($1, 0) ON CONFLICT DO NOTHING', [region]);
  const version = (await readState(client, database, region))?.schema_version;
  await client.query(migrationsFrom(version ?? 0, 'postgres'));
  await client.query('UPDATE store SET schema_version = $1', [currentVersion()]);
  if (serverRole !== undefined) await grantRights(client, serverRole);
  await client.query('COMMIT');
}

/**
 * Reads the region and the schema version of a database; undefined if it is new.
 * @throws {StoreOpenError} if this program cannot serve this region from it
 */
async function readState(client: pg.Client, database: string, region: Region): Promise<State | undefined> {
  const { rows: found } = await client.query<{ exists: boolean }>("SELECT to_regclass('store') IS NOT NULL AS exists");
  if (found[0]?.exists !== true) return undefined;
  const { rows } = await client.query<State>('SELECT region, schema_version FROM store');
  const [state] = rows;
  if (state && state.region !== region)
    throw new StoreOpenError(
      `The database ${database} belongs to region ${state.region}, not ${region}. ` +
        'Give each region a database of its own, or choose the other region with --region (REGION).',
    );
  if (state) refuseNewer(state.schema_version, database);
  return state;
}

/** @throws {StoreOpenError} if a database does not have this program's schema; `advice` says what to do then */
export async function requireCurrent(client: pg.Client, name: string, region: Region, advice: string): Promise<void> {
  const version = (await readState(client, name, region))?.schema_version;
  if (version === currentVersion()) return;
  const found = version === undefined ? 'no data' : `schema version ${version}, not ${currentVersion()}`;
  throw new StoreOpenError(`The database ${name} has ${found}. ${advice}`);
}

/** @throws {StoreOpenError} if this program cannot use this PostgreSQL server */
async function refuseUnfitEngine(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string; read_only: boolean }>(`
    SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only`);
  const [{ version, encoding, read_only: readOnly }] = rows as [(typeof rows)[0]];
  const refuse = (fault: string) => {
    throw new StoreOpenError(`The database ${database} ${fault}`);
  };
  if (Number.parseInt(version) < oldestEngine)
    refuse(
      `runs on PostgreSQL ${version}, but this program needs version ${oldestEngine} or newer. Upgrade PostgreSQL.`,
    );
  if (encoding !== 'UTF8')
    refuse(
      `has the encoding ${encoding}, which cannot represent every text. ` +
        'Recreate it with: createdb --encoding=UTF8 --template=template0',
    );
  if (readOnly) refuse('is read-only. DATABASE_URL must name the primary.');
}

/**
 * The rights of a server's role: to read and change rows as its statements require, and nothing else. The role owns
 * nothing, so it cannot change the schema, and it cannot update or delete rows of append-only tables. Locking a row
 * requires the UPDATE privilege.
 */

const readAndAdd = ['SELECT', 'INSERT'];
const all = [...readAndAdd, 'UPDATE', 'DELETE'];

export const tableRights: Readonly<Record<string, readonly string[]>> = {
  store: ['SELECT'],
  organisation: [...readAndAdd, 'UPDATE'],
  organisation_feature: all,
  role: ['SELECT'],
  role_permission: all,
  credential: [...readAndAdd, 'UPDATE'],
  credential_use: [...readAndAdd, 'UPDATE'],
  case_record: [...readAndAdd, 'UPDATE'],
  case_revision: [...readAndAdd, 'UPDATE'],
  case_file: [...readAndAdd, 'UPDATE'],
  analysis: [...readAndAdd, 'UPDATE'],
  evidence_recheck: all,
  cached_analysis_result: all,
  audit_entry: readAndAdd,
  company_register: all,
  registry_company: [...readAndAdd, 'DELETE'],
  registry_business_number: [...readAndAdd, 'DELETE'],
};
const functions = ['hold_rights(identifier, identifier)', 'update_verification_settings(json)'];

/** Grants a role the rights of a server, and revokes all its other rights to the tables. Call it in a transaction. */
async function grantRights(client: pg.Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
  const statements = [
    `GRANT USAGE ON SCHEMA ${client.escapeIdentifier(rows[0]?.schema ?? '')} TO ${name}`,
    ...Object.entries(tableRights).flatMap(([table, rights]) => [
      `REVOKE ALL ON ${table} FROM ${name}`,
      `GRANT ${rights.join(', ')} ON ${table} TO ${name}`,
    ]),
    ...functions.map((signature) => `GRANT EXECUTE ON FUNCTION ${signature} TO ${name}`),
  ];
  await client.query(statements.join(';\n'));
}

const selectMissing = `
  SELECT "right" || ' on ' || name AS missing FROM json_each($1) AS t (name, rights), json_array_elements_text(rights) AS "right"
  WHERE NOT has_table_privilege(name, "right")
  UNION ALL
  SELECT 'EXECUTE on ' || signature FROM unnest($2::text[]) AS signature WHERE NOT has_function_privilege(signature, 'EXECUTE')`;

const selectUser = `
  SELECT current_user AS "user", rolsuper AS superuser, pg_has_role(relowner, 'USAGE') AS owner,
    EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee NOT IN (0, relowner)) AS separate
  FROM pg_class, pg_roles WHERE pg_class.oid = 'store'::regclass AND rolname = current_user`;

interface DatabaseUser {
  readonly user: string;
  readonly superuser: boolean;
  /** Whether the user owns the tables, or may act as their owner. */
  readonly owner: boolean;
  /** Whether a role other than the owner has rights to the tables. */
  readonly separate: boolean;
}

/** Reads the user of a connection. The tables must exist. */
export async function readUser(client: pg.Client): Promise<DatabaseUser> {
  return (await client.query<DatabaseUser & object>(selectUser)).rows[0] as DatabaseUser;
}

/** Returns what an operator should change about the user of a server. @throws {StoreOpenError} if it lacks a right */
async function checkUser(client: pg.Client, database: string): Promise<string | undefined> {
  const { rows } = await client.query<{ missing: string }>(selectMissing, [JSON.stringify(tableRights), functions]);
  const { user, superuser, owner, separate } = await readUser(client);
  if (rows[0])
    throw new StoreOpenError(
      `The user ${user} lacks rights in the database ${database}, such as ${rows[0].missing}. ${askOwner(user)}`,
    );
  if (!superuser && !(owner && separate)) return undefined;
  const what = superuser ? 'a superuser' : 'the owner of its tables, although another role has rights to them';
  return (
    `The server uses the database ${database} as ${user}, ${what}. ` +
    'Let it connect as a role with rights to rows only: document-analysis store migrate --server-role ROLE grants them'
  );
}
