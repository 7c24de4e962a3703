/** Access tokens of the identity provider: JSON Web Tokens of the profile of RFC 9068, verified as RFC 8725 advises. */
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Principal } from '../domain/principal.ts';
import type { OperationStore } from '../store/store.ts';
import { providerKeys } from './provider-keys.ts';
import type { IdentityProvider } from './settings.ts';
import type { FindTokenBearer } from './token-bearer.ts';

const requiredClaims = ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Accepts the access tokens of a provider. Why one is refused goes to the log alone, at level debug. */
export function acceptTokensOf(
  provider: IdentityProvider,
  { store, logger, now }: { store: Pick<OperationStore, 'findFeatures'>; logger: Logger; now: () => Date },
): FindTokenBearer {
  const { issuer, audience, algorithms, clockSkewSeconds, organisationClaim } = provider;
  const keys = providerKeys(provider.keysUrl, logger);

  async function verify(token: string): Promise<Principal> {
    const { payload } = await jwtVerify(token, keys, {
      typ: 'at+jwt',
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims,
      clockTolerance: clockSkewSeconds,
      currentDate: now(),
    }).catch((error: unknown) => {
      throw isFaultOfKey(error) ? new errors.JWKInvalid('the named key cannot be used', { cause: error }) : error;
    });
    const bearer = [textOf(payload, 'client_id'), textOf(payload, 'sub')];
    const organisationId = textOf(payload, organisationClaim).toLowerCase();
    const features = uuid.test(organisationId) ? await store.findFeatures(organisationId) : undefined;
    if (!features) throw unexpected(payload, organisationClaim);
    return {
      credentialId: credentialIdOf([organisationId, ...bearer]),
      kind: 'access-token',
      organisationId,
      permissions: [],
      features,
      tokenExpiresAt: new Date((Number(payload.exp) + clockSkewSeconds) * 1000),
    };
  }

  return (token) =>
    verify(token).catch((error: unknown) => {
      if (!(error instanceof errors.JOSEError)) throw error;
      logger.debug({ reason: error.message }, 'an access token was refused');
      return undefined;
    });
}

/** For a published key that is broken or too weak, jose throws these, and Node.js' cryptography does. */
function isFaultOfKey(error: unknown): boolean {
  return error instanceof TypeError || error instanceof DOMException;
}

/** The same for each token of one client and subject for one organisation. It discloses neither. */
function credentialIdOf(parts: string[]): string {
  return `jwt_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

function textOf(claims: JWTPayload, claim: string): string {
  const value = claims[claim];
  if (typeof value !== 'string' || value === '') throw unexpected(claims, claim);
  return value;
}

function unexpected(claims: JWTPayload, claim: string): Error {
  return new errors.JWTClaimValidationFailed(`unexpected "${claim}" claim value`, claims, claim);
}
