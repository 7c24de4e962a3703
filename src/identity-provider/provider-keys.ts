/**
 * The public keys of the identity provider. They are fetched when the first token comes, again every ten minutes, and
 * when a token names a key that is not among them, so that a new key is known at once. While the provider is unavailable the
 * known keys keep working for an hour; a removed key is refused after ten minutes. Whatever tokens come, the provider is
 * asked at most once in five seconds. Ages are measured on a clock that nobody can set.
 */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { IdentityProviderUnavailableError } from './errors.ts';

const second = 1000;
const timing = { timeout: 3 * second, pause: 5 * second, refreshed: 600 * second, kept: 3600 * second };

/**
 * Finds the key that a token's header names.
 * The result rejects with an `IdentityProviderUnavailableError` if the keys cannot be had, which is logged once an outage.
 */
export function providerKeys(url: URL, logger: Logger): JWTVerifyGetKey {
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
      if (unavailable) logger.info('the identity provider is back');
      unavailable = false;
      fetchedAt = at;
    } catch (error) {
      if (!unavailable)
        logger.error({ err: error }, `the keys of the identity provider cannot be had from ${url.href}`);
      unavailable = true;
      throw new IdentityProviderUnavailableError('The keys of the identity provider cannot be had.', { cause: error });
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
