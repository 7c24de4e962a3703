import type { CredentialKind } from './secret.ts';

/** Who is calling: the outcome of authentication, and all that later steps may know of the caller. */
export interface Principal {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly organisationId: string;
  readonly permissions: ReadonlySet<string>;
  readonly features: ReadonlySet<string>;
  /** Of a token of an identity provider, whose end no store knows: from this moment on it is refused. */
  readonly tokenExpiresAt?: Date;
  /** The others whose credentials the operation needs together with this one. */
  readonly others?: readonly Principal[];
}
