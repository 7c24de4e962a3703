import type { IncomingHttpHeaders } from 'node:http';
import { type CredentialKind, hashesMatch, hashSecret, isWellFormedSecret } from '../../../src/domain/secret.ts';
import { type CredentialRow, store } from './store.ts';

/** The caller of a request. */
export interface Caller {
  readonly credentialId: string;
  readonly organisationId: string;
}

/** The caller with its rights. */
export interface CallerWithRights extends Caller {
  readonly permissions: readonly string[];
  readonly features: readonly string[];
}

const bearer = /^Bearer +(\S+)$/i;

/** Finds the caller by the credential in the header for this kind. */
export function authenticate(headers: IncomingHttpHeaders, kind: CredentialKind): Caller | undefined {
  const row = look(headers, kind, store.findCredential);
  return row && { credentialId: row.credential_id, organisationId: row.organisation_id };
}

/** Finds the caller and its rights in a single look-up. */
export function authenticateWithRights(
  headers: IncomingHttpHeaders,
  kind: CredentialKind,
): CallerWithRights | undefined {
  const row = look(headers, kind, store.findCredentialWithRights);
  return (
    row && {
      credentialId: row.credential_id,
      organisationId: row.organisation_id,
      permissions: JSON.parse(row.permissions) as string[],
      features: JSON.parse(row.features) as string[],
    }
  );
}

/** The secret in the header for this kind of credential. */
export function presentedSecret(headers: IncomingHttpHeaders, kind: CredentialKind): string | undefined {
  const value = kind === 'api-key' ? headers['x-api-key'] : bearer.exec(headers.authorization ?? '')?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** The challenge of a 401 response. */
export function challenge(kind: CredentialKind): string {
  const realm = 'realm="document-analysis-uk"';
  return kind === 'api-key' ? `ApiKey ${realm}` : `Bearer ${realm}, error="invalid_token"`;
}

function look<Row extends CredentialRow>(
  headers: IncomingHttpHeaders,
  kind: CredentialKind,
  find: (hash: Buffer) => Row | undefined,
): Row | undefined {
  const secret = presentedSecret(headers, kind);
  if (secret === undefined || !isWellFormedSecret(secret, kind, 'uk')) return undefined;
  const hash = hashSecret(secret);
  const row = find(hash);
  if (row?.kind !== kind || !hashesMatch(row.secret_sha256, hash) || row.revoked_at !== null) return undefined;
  return row.expires_at === null || Date.parse(row.expires_at) > Date.now() ? row : undefined;
}
