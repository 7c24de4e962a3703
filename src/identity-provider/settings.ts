import type { CleanedEnv } from 'envalid';
import { nonEmpty, secureUrl, someOf, wholeNumber } from '../runtime/config-values.ts';
import type { Principal } from '../domain/principal.ts';

/** The signature algorithms that can be allowed: asymmetric ones, of which nobody can sign with a published key. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

export type IdentityProvider = NonNullable<ReturnType<typeof identityProviderOf>>;

const belongTogether = {
  default: undefined,
  desc: 'is missing: AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE must be given together',
  requiredWhen: ({ AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE }: Partial<Record<string, unknown>>): boolean =>
    [AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE].some((value) => value !== undefined),
};

export const identityProviderSettings = {
  AUTH_JWKS_URL: secureUrl()(belongTogether),
  AUTH_ISSUER: nonEmpty()(belongTogether),
  AUTH_AUDIENCE: nonEmpty()(belongTogether),
  AUTH_ORGANISATION_CLAIM: nonEmpty()({ default: 'organisation_id' }),
  AUTH_ALGORITHMS: someOf(algorithms)({ default: ['RS256'] }),
  AUTH_CLOCK_SKEW_SECONDS: wholeNumber(0, 300)({ default: 30 }),
};

/** The provider whose access tokens are accepted, and what they must contain (RFC 9068); undefined if there is none. */
export function identityProviderOf(values: CleanedEnv<typeof identityProviderSettings>) {
  const { AUTH_JWKS_URL: keysUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = values;
  if (!keysUrl || issuer === undefined || audience === undefined) return undefined;
  return Object.freeze({
    /** Where its public keys are published, as a JSON Web Key Set. */
    keysUrl,
    issuer,
    /** The identifier of this service at the provider. */
    audience,
    /** The claim with the organisation that the token's bearer acts for. */
    organisationClaim: values.AUTH_ORGANISATION_CLAIM,
    algorithms: values.AUTH_ALGORITHMS,
    clockSkewSeconds: values.AUTH_CLOCK_SKEW_SECONDS,
  });
}

/**
 * Finds the principal of an access token that is valid now and whose organisation exists.
 * @throws {UnavailableError} if the provider's keys are unavailable
 */
export type FindTokenBearer = (token: string) => Promise<Principal | undefined>;

/** Whether a text has the form of a signed JSON Web Token, which no secret of the operator's has. */
export function isSignedJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
