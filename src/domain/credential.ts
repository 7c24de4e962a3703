import { randomUUID } from 'node:crypto';
import type { Region } from './region.ts';
import { type CredentialKind, generateSecret, hashSecret } from './secret.ts';
import { millisecondsOfDay } from './time.ts';

/** An issued credential, without its secret. Times are ISO 8601 in UTC. */
export interface Credential {
  credential_id: string;
  organisation_id: string;
  kind: CredentialKind;
  /** The role of an API key; null for an access token. */
  role: string | null;
  created_at: string;
  /** The credential is refused from this time on; null if it does not expire. */
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ListedCredential extends Credential {
  /** When it was last used, recorded with a delay of up to a minute; null if no use has been recorded. */
  last_used_at: string | null;
}

export type CredentialState = 'active' | 'expired' | 'revoked';

export function credentialState(credential: Pick<Credential, 'expires_at' | 'revoked_at'>, now: Date): CredentialState {
  if (credential.revoked_at !== null) return 'revoked';
  if (credential.expires_at !== null && Date.parse(credential.expires_at) <= now.getTime()) return 'expired';
  return 'active';
}

export const daysOfExpiryWarning = 30;

export function expiresSoon(credential: Pick<Credential, 'expires_at' | 'revoked_at'>, now: Date): boolean {
  const then = new Date(now.getTime() + daysOfExpiryWarning * millisecondsOfDay);
  return credentialState(credential, now) === 'active' && credentialState(credential, then) === 'expired';
}

export interface IssuedCredential extends Credential {
  secret: string;
}

/** Issues a credential and stores the hash of its secret. @throws {NotFoundError} if organisation or role are unknown */
export async function issueCredential(
  store: { addCredential(credential: Credential, secretSha256: Buffer): Promise<void> },
  region: Region,
  request: Pick<Credential, 'organisation_id' | 'kind' | 'role' | 'created_at' | 'expires_at'>,
): Promise<IssuedCredential> {
  const credential: Credential = { credential_id: randomUUID(), ...request, revoked_at: null };
  const secret = generateSecret(credential.kind, region);
  await store.addCredential(credential, hashSecret(secret));
  return { ...credential, secret };
}
