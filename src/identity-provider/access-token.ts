/** Access tokens of the identity provider: JSON Web Tokens of the profile of RFC 9068, verified as RFC 8725 advises. */
import { createHash } from 'node:crypto';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { UnavailableError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { OperationStore } from '../store/store.ts';
import type { IdentityProvider, FindTokenBearer } from './settings.ts';

/**
 * The public keys of the identity provider. They are fetched with the first token, every ten minutes, and when a token
 * names an unknown key, but at most once in five seconds. While the provider is unavailable, known keys work for an
 * hour; a removed key is refused after ten minutes. Ages are measured on a monotonic clock.
 */
const second = 1000;
const timing = { timeout: 3 * second, pause: 5 * second, refreshed: 600 * second, kept: 3600 * second };

/**
 * Finds the key that a token's header names. Rejects with an `UnavailableError` if the keys are unavailable, which is
 * logged once for each outage.
 */
function providerKeys(url: URL, logger: Logger): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timing.timeout,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
  });
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let lastTry = Promise.resolve();
  let unavailable = false;

  function fetchKeys(): Promise<void> {
    if (performance.now() - triedAt >= timing.pause) {
      triedAt = performance.now();
      lastTry = tryToFetch(triedAt);
    }
    return lastTry;
  }

  async function tryToFetch(at: number): Promise<void> {
    try {
      await keys.reload();
      if (unavailable) logger.info('the identity provider is available again');
      unavailable = false;
      fetchedAt = at;
    } catch (error) {
      if (!unavailable)
        logger.error({ err: error }, `the keys of the identity provider cannot be fetched from ${url.href}`);
      unavailable = true;
      throw new UnavailableError('The keys of the identity provider are unavailable.', {
        isLogged: true,
        cause: error,
      });
    }
  }

  return async (header, token) => {
    const age = performance.now() - fetchedAt;
    if (age >= timing.kept) await fetchKeys();
    else if (age >= timing.refreshed) {
      const refreshed = fetchKeys().catch(() => undefined);
      if (!unavailable) await refreshed;
    }
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await fetchKeys();
      return keys(header, token);
    }
  };
}

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
