import type { Authorisation, CredentialWithRights, HeldRights } from '../store.ts';
import { type Access as PartAccess, runAtOnce } from '../statements.ts';
import { type Connection, isUniqueViolation } from './connection.ts';

/** How the store reads and writes. */
export type Access = Pick<Connection, 'read' | 'write'>;

/** How the parts that are written with Kysely read and write. */
export function partAccessOf(connection: Connection, access: Access): PartAccess {
  const execute = connection.execute.bind(connection);
  return {
    engine: 'sqlite',
    read: (statements) => access.read(() => runAtOnce(statements(), execute)),
    write: (statements) => access.write(() => runAtOnce(statements(), execute)),
    isUniqueViolation,
  };
}

type Row = Pick<CredentialWithRights, 'kind' | 'expires_at' | 'revoked_at'> & { permissions: string; features: string };

/** Creates an access that checks an authorisation at the start of each write. No other process can write in between. */
export function authorisedAccess(connection: Connection): (authorisation: Authorisation) => Access {
  const selectFeatures =
    '(SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = t.organisation_id) AS features';
  const findCredential = connection.prepare<[string, string], Row>(`
    SELECT kind, expires_at, revoked_at,
      (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = t.role) AS permissions, ${selectFeatures}
    FROM credential t WHERE credential_id = ? AND organisation_id = ?`);
  const findOrganisation = connection.prepare<[string], Pick<Row, 'features'>>(
    `SELECT ${selectFeatures} FROM organisation t WHERE organisation_id = ?`,
  );

  const find = ({ credentialId, organisationId }: Authorisation['callers'][number]): HeldRights | undefined => {
    const credential = findCredential.get(credentialId, organisationId);
    const row = credential ?? findOrganisation.get(organisationId);
    return (
      row && {
        credential,
        permissions: credential ? (JSON.parse(credential.permissions) as string[]) : [],
        features: JSON.parse(row.features) as string[],
      }
    );
  };

  return ({ callers, check }) => ({
    read: (work) => connection.read(work),
    write: (work, settingOf) =>
      connection.write(() => {
        check(callers.map(find));
        return work();
      }, settingOf),
  });
}
