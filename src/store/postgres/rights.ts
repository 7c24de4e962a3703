/**
 * The rights of a server's role: to read and change rows as its statements require, and nothing else. The role owns
 * nothing, so it cannot change the schema, and it cannot update or delete rows of append-only tables. Locking a row
 * requires the UPDATE privilege.
 */
import type pg from 'pg';
import { StoreOpenError } from '../errors.ts';

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

export const askOwner = (user: string) =>
  `Let the owner of the database run: document-analysis store migrate --server-role ${user}`;

/** Grants a role the rights of a server, and revokes all its other rights to the tables. Call it in a transaction. */
export async function grantRights(client: pg.Client, role: string): Promise<void> {
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
  SELECT "right" || ' on ' || name AS missing FROM unnest($1::text[], $2::text[]) AS needed (name, "right")
  WHERE NOT has_table_privilege(name, "right")
  UNION ALL
  SELECT 'EXECUTE on ' || signature FROM unnest($3::text[]) AS signature WHERE NOT has_function_privilege(signature, 'EXECUTE')`;

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
export async function checkUser(client: pg.Client, database: string): Promise<string | undefined> {
  const needed = Object.entries(tableRights).flatMap(([table, rights]) => rights.map((right) => [table, right]));
  const [tables, rights] = [needed.map(([table]) => table), needed.map(([, right]) => right)];
  const { rows } = await client.query<{ missing: string }>(selectMissing, [tables, rights, functions]);
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
