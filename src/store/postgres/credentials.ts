import type { Credential, ListedCredential } from '../../domain/credential.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { CredentialWithRights, Store } from '../store.ts';
import type { Connection, Query } from './connection.ts';
import { requireOrganisation } from './organisations.ts';
import { requireRole } from './roles.ts';
import { prepared } from './statement.ts';

/** The columns that a credential is told with. */
export const credentialColumns = 'credential_id, organisation_id, kind, role, created_at, expires_at, revoked_at';

const findBySecret = prepared(`
  SELECT credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256,
    ARRAY(SELECT permission FROM role_permission p WHERE p.role = c.role ORDER BY permission)::text[] AS permissions,
    ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = c.organisation_id ORDER BY feature)::text[]
      AS features
  FROM credential c WHERE secret_sha256 = $1`);
const findById = prepared(`SELECT ${credentialColumns} FROM credential WHERE credential_id = $1`);
// The weakest lock that keeps two replacements apart: an update that waits for its audit entry's reference never meets it.
const findForReplacement = prepared(
  `SELECT ${credentialColumns} FROM credential WHERE credential_id = $1 FOR NO KEY UPDATE`,
);
const list = prepared(`
  SELECT ${credentialColumns}, last_used_at FROM credential LEFT JOIN credential_use USING (credential_id)
  WHERE $1::text IS NULL OR organisation_id = $1 ORDER BY created_at, credential_id`);
const insert = prepared(
  `INSERT INTO credential (${credentialColumns}, secret_sha256) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const revoke = prepared('UPDATE credential SET revoked_at = $1 WHERE credential_id = $2 AND revoked_at IS NULL');

export function credentialStore(
  connection: Connection,
): Pick<
  Store,
  'findCredential' | 'addCredential' | 'replaceCredential' | 'readCredential' | 'listCredentials' | 'revokeCredential'
> {
  return {
    findCredential: async (secretSha256) =>
      (await connection.query<CredentialWithRights>(findBySecret, [secretSha256])).rows[0],

    addCredential: (credential, secretSha256) =>
      connection.write(async (query) => {
        await requireOrganisation(query, credential.organisation_id);
        if (credential.role !== null) await requireRole(query, credential.role);
        await query(insert, [...valuesOf(credential), secretSha256]);
      }),

    replaceCredential: (credentialId, { credentialId: successorId, secretSha256, at }) =>
      connection.write(async (query) => {
        const old = existing(await query<Credential>(findForReplacement, [credentialId]), credentialId);
        if (old.revoked_at !== null) throw new ConflictError(`The credential ${credentialId} is revoked already.`);
        await query(revoke, [at, credentialId]);
        const successor = { ...old, credential_id: successorId, created_at: at };
        await query(insert, [...valuesOf(successor), secretSha256]);
        return successor;
      }),

    readCredential: (credentialId) => readCredential(connection.query, credentialId),

    listCredentials: async (organisationId) =>
      (await connection.query<ListedCredential>(list, [organisationId ?? null])).rows,

    revokeCredential: (credentialId, at) =>
      connection.write(async (query) => {
        await readCredential(query, credentialId);
        await query(revoke, [at, credentialId]);
      }),
  };
}

async function readCredential(query: Query, credentialId: string): Promise<Credential> {
  return existing(await query<Credential>(findById, [credentialId]), credentialId);
}

function existing({ rows }: { rows: Credential[] }, credentialId: string): Credential {
  const [credential] = rows;
  if (!credential) throw new NotFoundError('credential', credentialId);
  return credential;
}

function valuesOf(credential: Credential): unknown[] {
  const { credential_id: id, organisation_id: organisationId, kind, role } = credential;
  return [id, organisationId, kind, role, credential.created_at, credential.expires_at, credential.revoked_at];
}
