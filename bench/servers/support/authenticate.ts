import type { IncomingHttpHeaders } from 'node:http';
import { type CredentialKind, hashesMatch, hashSecret, isWellFormedSecret } from '../../../src/domain/secret.ts';
import { type CredentialRow, store } from './store.ts';

/** Who is calling. */
export interface Caller {
  readonly credentialId: string;
  readonly organisationId: string;
}

/** The same with what the caller may do. */
export interface CallerWithRights extends Caller {
  readonly permissions: readonly string[];
  readonly features: readonly string[];
}

const bearer = /^Bearer +(\S+)$/i;

/** Finds who is calling, by the credential that stands where this kind of credential does. */
export function authenticate(headers: IncomingHttpHeaders, kind: CredentialKind): Caller | undefined {
  const row = look(headers, kind, store.findCredential);
  return row && { credentialId: row.credential_id, organisationId: row.organisation_id };
}

/** Finds who is calling and what they may do, with one look-up. */
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

/** The text that stands where this kind of credential does. */
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
