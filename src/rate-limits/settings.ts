import { type CleanedEnv, EnvError, makeExactValidator } from 'envalid';
import proxyaddr from 'proxy-addr';
import { isPercentEncoded, oneOf, wholeNumber } from '../runtime/config-values.ts';

/** What is done while requests cannot be counted: counting in each server for itself, or refusing with 503. */
const unavailableModes = ['open', 'closed'] as const;

export type SharedRateLimits = NonNullable<ReturnType<typeof sharedRateLimitsOf>>;

export const rateLimitSettings = {
  RATE_LIMIT_REQUESTS: wholeNumber(1, 1_000_000_000)({ default: 600 }),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400)({ default: 60 }),
  RATE_LIMIT_FAILED_AUTHENTICATIONS: wholeNumber(1, 1_000_000_000)({ default: 30 }),
  RATE_LIMIT_PUBLIC_REQUESTS: wholeNumber(1, 1_000_000_000)({ default: 600 }),
  RATE_LIMIT_OTHER_REQUESTS: wholeNumber(1, 1_000_000_000)({ default: 3000 }),
  RATE_LIMIT_WHEN_UNAVAILABLE: oneOf(unavailableModes)({ default: 'open' }),
  REDIS_URL: redisUrl()({ default: undefined }),
  TRUST_PROXY: proxies()({ default: [] }),
};

type Settings = CleanedEnv<typeof rateLimitSettings>;

/** How many requests a credential or an address may make in a window. */
export function rateLimitsOf(values: Settings) {
  return Object.freeze({
    requests: values.RATE_LIMIT_REQUESTS,
    /** Of an address, like the following. */
    failedAuthentications: values.RATE_LIMIT_FAILED_AUTHENTICATIONS,
    publicRequests: values.RATE_LIMIT_PUBLIC_REQUESTS,
    /** To paths outside operations: documentation, thumbnails and unknown paths. */
    otherRequests: values.RATE_LIMIT_OTHER_REQUESTS,
    windowSeconds: values.RATE_LIMIT_WINDOW_SECONDS,
  });
}

/** The Redis or Valkey in which several servers count together; undefined if each counts for itself. */
export function sharedRateLimitsOf(values: Settings) {
  const { REDIS_URL: redisUrl, RATE_LIMIT_WHEN_UNAVAILABLE: whenUnavailable } = values;
  return redisUrl && Object.freeze({ redisUrl, whenUnavailable });
}

/** An address of Redis. An error does not repeat it, because it may hold a password. */
function redisUrl() {
  return makeExactValidator<URL>((text) => {
    const url = URL.parse(text);
    if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
      throw new EnvError(
        'must be a URL of the form redis://user:password@host:6379/0, or rediss:// for TLS; ' +
          'in a user name or password, characters such as / # ? @ must be percent-encoded',
      );
    if (url.search !== '' || url.hash !== '' || !/^\/?\d*$/.test(url.pathname))
      throw new EnvError('must end after the host and port, or after the number of a database as in /0');
    if ([url.username, url.password].some((part) => !isPercentEncoded(part)))
      throw new EnvError('must have a user name and password in which each % begins a percent-encoded character');
    return url;
  });
}

function proxies() {
  return makeExactValidator<readonly string[]>((text) => {
    const addresses = text.split(',').map((part) => part.trim());
    for (const address of addresses)
      if (!isTrustable(address))
        throw new EnvError(
          'must list addresses or networks of proxies, with commas between them, as in 10.0.0.0/8, ::1 or loopback; ' +
            `"${address}" is not one`,
        );
    return addresses;
  });
}

/** A bare number is refused: elsewhere it means that many proxies, here it would be an address. */
function isTrustable(address: string): boolean {
  if (/^\d+$/.test(address)) return false;
  try {
    proxyaddr.compile(address);
    return true;
  } catch {
    return false;
  }
}
