import type { Credential, ListedCredential } from '../../domain/credential.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { HeldRights } from '../authorisation.ts';
import type { CredentialWithRights, Store } from '../store.ts';
import { canHold } from './can-hold.ts';
import type { Connection, Query } from './connection.ts';
import { gather } from './gather.ts';
import { requireOrganisation } from './organisations.ts';
import { requireRole } from './roles.ts';
import { prepared } from './statement.ts';

/** The columns of a credential. */
export const credentialColumns = 'credential_id, organisation_id, kind, role, created_at, expires_at, revoked_at';

/**
 * Finds the credentials of several secrets. The setting and the revision are limited to each credential's organisation;
 * the rights have the form of `hold_rights`. The planner cannot estimate the number of secrets, and a join could scan
 * whole tables: a lateral subquery looks up each secret on its own. The subqueries in `unnest` hide the length of the
 * arrays, because the planner would make a new plan for each length.
 */
const findBySecrets = prepared(`
  SELECT asked.place::integer, c.*
  FROM unnest((SELECT $1::bytea[]), (SELECT $2::text[])) WITH ORDINALITY AS asked (secret_sha256, case_id, place)
  CROSS JOIN LATERAL (
    SELECT credential_id, organisation_id, secret_sha256,
      json_build_object(
        'credential', json_build_object('kind', kind, 'expires_at', expires_at, 'revoked_at', revoked_at),
        'permissions', ARRAY(SELECT permission FROM role_permission p WHERE p.role = c.role ORDER BY permission),
        'features', ARRAY(
          SELECT feature FROM organisation_feature f WHERE f.organisation_id = c.organisation_id ORDER BY feature)
      )::text AS rights,
      (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled,
      (SELECT revision FROM case_record r JOIN case_revision USING (case_id)
        WHERE case_id = asked.case_id AND r.organisation_id = c.organisation_id) AS revision
    FROM credential c WHERE secret_sha256 = asked.secret_sha256 OFFSET 0) c`);
const findById = prepared(`SELECT ${credentialColumns} FROM credential WHERE credential_id = $1`);
// The weakest lock that serialises replacements. It does not conflict with a new reference from an audit entry.
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

interface FoundRow extends Pick<CredentialWithRights, 'credential_id' | 'organisation_id' | 'secret_sha256'> {
  /** The position of the secret, from 1. */
  place: number;
  rights: string;
  enabled: boolean;
  revision: string | null;
}

/** A secret, and the case that its bearer requests. */
interface Asked {
  readonly secretSha256: Uint8Array;
  readonly caseId: string | undefined;
}

export function credentialStore(
  connection: Connection,
): Pick<
  Store,
  'findCredential' | 'addCredential' | 'replaceCredential' | 'readCredential' | 'listCredentials' | 'revokeCredential'
> {
  const find = gather(async (asked: readonly Asked[]) => {
    const values = [asked.map(({ secretSha256 }) => secretSha256), asked.map(({ caseId }) => caseId ?? null)];
    const { rows } = await connection.query<FoundRow & object>(findBySecrets, values);
    const found = Array.from<CredentialWithRights | undefined>({ length: asked.length });
    for (const row of rows) found[row.place - 1] = foundCredential(row, asked[row.place - 1]?.caseId);
    return found;
  });
  return {
    findCredential: (secretSha256, caseId) =>
      find({ secretSha256, caseId: caseId !== undefined && canHold(caseId) ? caseId : undefined }),

    addCredential: (credential, secretSha256) =>
      connection.write(async (query) => {
        await requireOrganisation(query, credential.organisation_id);
        if (credential.role !== null) await requireRole(query, credential.role);
        await query(insert, [...valuesOf(credential), secretSha256]);
      }),

    replaceCredential: (credentialId, { credentialId: successorId, secretSha256, at }) =>
      connection.write(async (query) => {
        const old = existing(await query<Credential>(findForReplacement, [credentialId]), credentialId);
        if (old.revoked_at !== null) throw new ConflictError(`The credential ${credentialId} is already revoked.`);
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

function foundCredential(
  { place: _, rights, enabled, revision, ...row }: FoundRow,
  caseId: string | undefined,
): CredentialWithRights {
  const { credential, permissions, features } = JSON.parse(rights) as Required<HeldRights> & {
    credential: NonNullable<HeldRights['credential']>;
  };
  return {
    ...row,
    ...credential,
    permissions,
    features,
    readAlong: {
      organisationId: row.organisation_id,
      rights,
      verificationEnabled: enabled,
      case: caseId === undefined ? undefined : { id: caseId, revision },
    },
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
