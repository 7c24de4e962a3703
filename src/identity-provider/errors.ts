/** The identity provider's keys cannot be had for now, so that nobody knows whether a token is valid. */
export class IdentityProviderUnavailableError extends Error {
  override readonly name = 'IdentityProviderUnavailableError';
}
