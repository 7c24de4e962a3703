/**
 * The authorisation that a write of an API operation depends on. The caller was authorised when the request arrived;
 * rights may have been withdrawn while the body was arriving, so the transaction that writes checks them again.
 */
import type { Credential } from '../domain/credential.ts';
import type { Principal } from '../domain/principal.ts';

/** The rights of a caller, as read in a transaction. */
export interface HeldRights {
  /** Undefined if the caller's organisation has no credential with this identifier. */
  credential: Pick<Credential, 'kind' | 'expires_at' | 'revoked_at'> | undefined;
  permissions: string[];
  features: string[];
}

/** The authorisation of a write. */
export interface Authorisation {
  /** The callers whose credentials the operation requires. */
  readonly callers: readonly Pick<Principal, 'credentialId' | 'organisationId' | 'prefetched'>[];
  /** Receives each caller's rights, undefined if there is no such organisation. If it throws, nothing is written. */
  readonly check: (rights: readonly (HeldRights | undefined)[]) => void;
}
