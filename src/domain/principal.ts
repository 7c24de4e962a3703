import type { CredentialKind } from './credential.ts';

/** Data of the caller's organisation, read in the statement of the credential. Authorise the caller before using it. */
export interface Prefetched {
  readonly organisationId: string;
  /** The caller's rights in the store's own format, which the store compares with the current ones before a write. */
  readonly rights?: string | undefined;
  readonly verificationEnabled: boolean;
  /** The requested case and its current revision; null if the organisation has no such case. */
  readonly case?: { readonly id: string; readonly revision: string | null } | undefined;
}

export interface Principal {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly organisationId: string;
  readonly permissions: readonly string[];
  readonly features: readonly string[];
  /** When the token of an identity provider expires; the store does not know it. */
  readonly tokenExpiresAt?: Date;
  /** Absent if the store does not prefetch. */
  readonly prefetched?: Prefetched | undefined;
  /** The other principals, if the operation requires several credentials. */
  readonly others?: readonly Principal[];
}
