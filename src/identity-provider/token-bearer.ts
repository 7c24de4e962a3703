import type { Principal } from '../domain/principal.ts';

/**
 * Finds the principal of an access token, if the token is valid now and its organisation exists.
 * @throws {IdentityProviderUnavailableError} if that cannot be found out
 */
export type FindTokenBearer = (token: string) => Promise<Principal | undefined>;

/** Whether a text has the form of a signed JSON Web Token, which no secret of the operator's has. */
export function isSignedJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
