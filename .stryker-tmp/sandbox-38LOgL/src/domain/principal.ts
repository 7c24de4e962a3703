/** Who is calling: the outcome of authentication, and all that later steps may know of the caller. */
// @ts-nocheck

export interface Principal {
  readonly credentialId: string;
  readonly organisationId: string;
  readonly permissions: ReadonlySet<string>;
  readonly features: ReadonlySet<string>;
}
