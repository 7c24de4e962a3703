import type { Principal } from '../domain/principal.ts';

/** The identity provider's keys cannot be had for now, so that nobody knows whether a token is valid. */
export class IdentityProviderUnavailableError extends Error {
  override readonly name = 'IdentityProviderUnavailableError';
}

/**
 * Finds the principal of an access token, if the token is valid now and its organisation exists.
 * @throws {IdentityProviderUnavailableError} if that cannot be found out
 */
export type FindTokenBearer = (token: string) => Promise<Principal | undefined>;

/** Whether a text has the form of a signed JSON Web Token, which no secret of the operator's has. */
export function isSignedJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
