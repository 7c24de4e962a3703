/** Requests cannot be counted for now, and are not to be served uncounted. The log was told when that began. */
export class RateLimitsUnavailableError extends Error {
  override readonly name = 'RateLimitsUnavailableError';
}

/** Redis cannot be used as it is configured; the message tells the operator what to do, and no password. */
export class RedisUnusableError extends Error {
  override readonly name = 'RedisUnusableError';
}
