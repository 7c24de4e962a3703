import pg from 'pg';
import type { Authorisation, HeldRights } from '../authorisation.ts';
import type { CredentialWithRights } from '../store.ts';
import { prepared } from './statement.ts';

// What is read is held until the transaction ends: whoever withdraws one of these rights waits, and is waited for.
const hold = prepared(`
  SELECT c.kind, c.expires_at, c.revoked_at, coalesce(c.permissions, '{}') AS permissions,
    ARRAY(SELECT feature::text FROM organisation_feature WHERE organisation_id = $2 FOR KEY SHARE) AS features
  FROM organisation LEFT JOIN LATERAL (
    SELECT kind, expires_at, revoked_at,
      ARRAY(SELECT permission::text FROM role_permission p WHERE p.role = credential.role FOR KEY SHARE) AS permissions
    FROM credential WHERE credential_id = $1 AND organisation_id = $2 FOR SHARE
  ) c ON true
  WHERE organisation_id = $2`);

/** The kind is null if there is no such credential. */
type Row = Pick<CredentialWithRights, 'expires_at' | 'revoked_at' | 'permissions' | 'features'> & {
  kind: CredentialWithRights['kind'] | null;
};

/** Prepares a new connection for `holdRights`. Without it, a write fails that needs an authorisation. */
export function prepareRights(client: pg.ClientBase): void {
  client.query(`PREPARE "${hold.name}" (text, text) AS ${hold.text}`).catch(() => undefined);
}

/**
 * A statement for each caller that reads its rights and holds them. It is sent together with what begins the transaction,
 * so that it costs no round trip.
 */
export function holdRights({ callers }: Authorisation): string[] {
  return callers.map(({ credentialId, organisationId }) => {
    const values = [credentialId, organisationId].map((id) => pg.escapeLiteral(id));
    return `EXECUTE "${hold.name}" (${values.join(', ')})`;
  });
}

/** Has the rights checked that the last of these results tell. */
export function checkRights({ callers, check }: Authorisation, results: unknown): void {
  const rights = (results as pg.QueryResult<Row>[]).slice(-callers.length);
  check(rights.map(({ rows: [row] }) => row && heldRightsOf(row)));
}

function heldRightsOf({ kind, expires_at, revoked_at, permissions, features }: Row): HeldRights {
  return { credential: kind === null ? undefined : { kind, expires_at, revoked_at }, permissions, features };
}
