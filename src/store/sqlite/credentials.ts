import type { Credential, ListedCredential } from '../../domain/credential.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { CredentialWithRights } from '../store.ts';
import type { Connection } from './connection.ts';
import type { StorePart } from './store-part.ts';

type RightsRow = Omit<CredentialWithRights, 'permissions' | 'features' | 'readAlong'> & {
  permissions: string;
  features: string;
  enabled: 0 | 1;
  revision?: string | null;
};

/** The columns of a credential. */
export const credentialColumns = 'credential_id, organisation_id, kind, role, created_at, expires_at, revoked_at';

export function credentialStore(
  connection: Connection,
): StorePart<
  'findCredential' | 'addCredential' | 'replaceCredential' | 'readCredential' | 'listCredentials' | 'revokeCredential'
> {
  // In SQLite, these subqueries are several times faster than a join or EXISTS.
  const rights = `
    credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256,
    (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = c.role) AS permissions,
    (SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = c.organisation_id) AS features,
    (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled`;
  const findBySecret = connection.prepare<[Uint8Array], RightsRow>(
    `SELECT ${rights} FROM credential c WHERE secret_sha256 = ?`,
  );
  const findWithCase = connection.prepare<[string, Uint8Array], RightsRow>(`
    SELECT ${rights},
      (SELECT revision FROM case_revision WHERE case_id = (
        SELECT case_id FROM case_record r WHERE r.case_id = ? AND r.organisation_id = c.organisation_id)) AS revision
    FROM credential c WHERE secret_sha256 = ?`);
  const findById = connection.prepare<[string], Credential>(
    `SELECT ${credentialColumns} FROM credential WHERE credential_id = ?`,
  );
  const list = connection.prepare<{ organisationId: string | null }, ListedCredential>(`
    SELECT ${credentialColumns}, last_used_at FROM credential LEFT JOIN credential_use USING (credential_id)
    WHERE @organisationId IS NULL OR organisation_id = @organisationId
    ORDER BY created_at, credential_id`);
  const insert = connection.prepare(`
    INSERT INTO credential (${credentialColumns}, secret_sha256)
    VALUES (@credential_id, @organisation_id, @kind, @role, @created_at, @expires_at, @revoked_at, @secret_sha256)`);
  const revoke = connection.prepare(
    'UPDATE credential SET revoked_at = ? WHERE credential_id = ? AND revoked_at IS NULL',
  );
  const organisationExists = connection.prepare('SELECT 1 FROM organisation WHERE organisation_id = ?');
  const roleExists = connection.prepare('SELECT 1 FROM role WHERE role = ?');

  const existing = (credentialId: string): Credential => {
    const credential = findById.get(credentialId);
    if (!credential) throw new NotFoundError('credential', credentialId);
    return credential;
  };

  return ({ read, write }) => ({
    findCredential: (secretSha256, caseId) =>
      read(() => {
        const row = caseId === undefined ? findBySecret.get(secretSha256) : findWithCase.get(caseId, secretSha256);
        return row && foundCredential(row, caseId);
      }),

    addCredential: (credential, secretSha256) =>
      write(() => {
        const { organisation_id: organisationId, role } = credential;
        if (!organisationExists.get(organisationId)) throw new NotFoundError('organisation', organisationId);
        if (role !== null && !roleExists.get(role)) throw new NotFoundError('role', role);
        insert.run({ ...credential, secret_sha256: secretSha256 });
      }),

    replaceCredential: (credentialId, { credentialId: successorId, secretSha256, at }) =>
      write(() => {
        const old = existing(credentialId);
        if (old.revoked_at !== null) throw new ConflictError(`The credential ${credentialId} is already revoked.`);
        revoke.run(at, credentialId);
        const successor = { ...old, credential_id: successorId, created_at: at };
        insert.run({ ...successor, secret_sha256: secretSha256 });
        return successor;
      }),

    readCredential: (credentialId) => read(() => existing(credentialId)),

    listCredentials: (organisationId) => read(() => list.all({ organisationId: organisationId ?? null })),

    revokeCredential: (credentialId, at) =>
      write(() => {
        existing(credentialId);
        revoke.run(at, credentialId);
      }),
  });
}

function foundCredential(
  { permissions, features, enabled, revision = null, ...row }: RightsRow,
  caseId: string | undefined,
): CredentialWithRights {
  return {
    ...row,
    permissions: JSON.parse(permissions) as string[],
    features: JSON.parse(features) as string[],
    readAlong: {
      organisationId: row.organisation_id,
      verificationEnabled: enabled === 1,
      case: caseId === undefined ? undefined : { id: caseId, revision },
    },
  };
}
