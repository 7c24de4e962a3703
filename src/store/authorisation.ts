/**
 * What a write of an API operation depends on. Its caller was authorised when the request came in; what may have been
 * withdrawn since then, while the body was on its way, is checked again in the transaction that writes.
 */
import type { Credential } from '../domain/credential.ts';
import type { Principal } from '../domain/principal.ts';

/** The rights of a caller as the store holds them in a transaction. */
export interface HeldRights {
  /** Undefined if the caller's organisation has no credential of this identifier. */
  credential: Pick<Credential, 'kind' | 'expires_at' | 'revoked_at'> | undefined;
  permissions: string[];
  features: string[];
}

/** What a write depends on. */
export interface Authorisation {
  /** Those whose credentials the operation needs. */
  readonly callers: readonly Pick<Principal, 'credentialId' | 'organisationId' | 'readAlong'>[];
  /** Is given the rights of each caller; undefined if there is no such organisation. After what it throws, nothing is written. */
  readonly check: (rights: readonly (HeldRights | undefined)[]) => void;
}
