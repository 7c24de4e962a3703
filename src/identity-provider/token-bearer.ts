import type { Principal } from '../domain/principal.ts';

/**
 * Finds the principal of an access token, if the token is valid now and its organisation exists.
 * @throws {UnavailableError} if the provider's keys cannot be had for now, so that nobody knows
 */
export type FindTokenBearer = (token: string) => Promise<Principal | undefined>;

/** Whether a text has the form of a signed JSON Web Token, which no secret of the operator's has. */
export function isSignedJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
