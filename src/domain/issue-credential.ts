import { randomUUID } from 'node:crypto';
import type { Store } from '../store/store.ts';
import type { Credential } from './credential.ts';
import type { Region } from './region.ts';
import { generateSecret, hashSecret } from './secret.ts';

/** A credential with its secret, which cannot be read again later. */
export interface IssuedCredential extends Credential {
  secret: string;
}

/**
 * Issues a credential and stores the hash of its secret.
 * @throws {NotFoundError} if the organisation or the role does not exist
 */
export async function issueCredential(
  store: Pick<Store, 'addCredential'>,
  region: Region,
  request: Pick<Credential, 'organisation_id' | 'kind' | 'role' | 'created_at' | 'expires_at'>,
): Promise<IssuedCredential> {
  const credential: Credential = { credential_id: randomUUID(), ...request, revoked_at: null };
  const secret = generateSecret(credential.kind, region);
  await store.addCredential(credential, hashSecret(secret));
  return { ...credential, secret };
}
