/** Checks Redis before a server starts: an error names what keeps it from counting, and what to do. */
import { OperatorError } from '../domain/errors.ts';
import { RedisConnection } from './redis-connection.ts';
import { reasonOf } from './redis.ts';

/** The oldest that knows users and TLS; older ones get no corrections from their makers. */
const oldestMajorVersion = 6;

const advices: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'Check the host name'],
  [/ECONNREFUSED/, 'Check that it runs, and the host and port'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Connection timeout|in time/,
    'Check the host, the port, firewalls, and whether it uses TLS',
  ],
  [/WRONGPASS|NOAUTH|ERR AUTH|'auth' command/i, 'Check the user name and password; as in redis://user:password@host'],
  [/NOPERM/, 'Grant the user: ~document-analysis:* +info +eval +evalsha +set +incrby +pttl +expire'],
  [/DB index/, 'Choose a database that it has, as in redis://host/0'],
  [/WRONG_VERSION_NUMBER|EPROTO|before secure TLS/, 'If it does not use TLS, write redis:// for rediss://'],
  [
    /closed unexpectedly|ECONNRESET|RESP type|Redis sent/,
    'Check that it is Redis; if it uses TLS, write rediss:// for redis://',
  ],
  [/ALTNAME_INVALID/, 'Use a host name that its certificate has'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'Renew its certificate, and check the clocks'],
  [/CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/, 'Name a file with the CA of its certificate in NODE_EXTRA_CA_CERTS'],
  [/READONLY/, 'Name the primary, not a replica'],
  [/LOADING/, 'Wait until it has loaded its data'],
  [/OOM/, 'Give it more memory, or a maxmemory-policy that makes room'],
];

/**
 * Connects, checks the kind and version of the server, and counts one request. @throws {OperatorError} if that fails
 */
export async function checkRedis(url: URL, region: string): Promise<void> {
  const redis = new RedisConnection(url, () => undefined);
  try {
    await redis.connect();
    const incompatible = incompatibility(await redis.info());
    if (incompatible !== undefined) throw unusable(url, incompatible);
    await redis.count(region, { name: 'start', requests: 1_000_000, windowSeconds: 1 }, 'start');
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw unusable(url, describeFault(error, url));
  } finally {
    redis.end(new Error('The check is done'));
  }
}

/** Why the server that responds is none that can be used; undefined if it is one. */
function incompatibility(info: string): string | undefined {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const [version, mode] = [field('redis_version'), field('redis_mode')];
  if (!(Number.parseInt(version) >= oldestMajorVersion))
    return `its version is ${version || 'unknown'}. Use Redis ${oldestMajorVersion}.0 or newer, or Valkey`;
  if (mode === 'sentinel') return 'it is a sentinel. Name the primary that it watches';
  if (mode === 'cluster') return 'it is a node of a Redis Cluster. Use one primary, with replicas if you like';
  return undefined;
}

function describeFault(error: unknown, url: URL): string {
  const reason = reasonOf(error, url);
  const { code = '' } = error as { code?: string };
  const advice = advices.find(([fault]) => fault.test(`${code} ${reason}`))?.[1] ?? 'Check the URL';
  return `${reason.replace(/\.$/, '')}. ${advice}`;
}

function unusable(url: URL, why: string): OperatorError {
  return new OperatorError(`Redis at ${url.host} (REDIS_URL) cannot be used: ${why}.`);
}
