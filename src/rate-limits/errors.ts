/** Requests cannot be counted for now, and must not be served uncounted. It was logged when that began. */
export class RateLimitsUnavailableError extends Error {
  override readonly name = 'RateLimitsUnavailableError';
}

/** Redis cannot be used as it is configured; the message says what the operator can do, and holds no password. */
export class RedisUnusableError extends Error {
  override readonly name = 'RedisUnusableError';
}
