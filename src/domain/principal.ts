import type { CredentialKind } from './secret.ts';

/**
 * What a store has read in the statement that found the caller's credential: as current as that, and of the caller's
 * organisation alone. Whoever uses it has authorised the caller.
 */
export interface ReadAlong {
  readonly organisationId: string;
  /** The caller's rights in the form, if any, in which the store compares them with those held now. */
  readonly rights?: string | undefined;
  readonly verificationEnabled: boolean;
  /** The case that was named, and the name of the state that it is in: null if the organisation has no such case. */
  readonly case?: { readonly id: string; readonly revision: string | null } | undefined;
}

/** Who is calling: the outcome of authentication, and all that later steps may know of the caller. */
export interface Principal {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly organisationId: string;
  readonly permissions: readonly string[];
  readonly features: readonly string[];
  /** Of a token of an identity provider, whose end no store knows: from this moment on it is refused. */
  readonly tokenExpiresAt?: Date;
  /** Absent if the store does not read so. */
  readonly readAlong?: ReadAlong | undefined;
  /** The others whose credentials the operation needs together with this one. */
  readonly others?: readonly Principal[];
}
