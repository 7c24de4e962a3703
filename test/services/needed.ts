/** Looks for what `npm run test:services` needs, and says what is missing and how to get it. */
import { execFileSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { noPostgres } from '../support/postgres.ts';
import { redisUrl } from './region.ts';

const missing = [
  noPostgres === undefined ? '' : 'PostgreSQL: start it on 127.0.0.1:5432, or name one with TEST_DATABASE_URL',
  (await responds(redisUrl))
    ? ''
    : `Redis or Valkey at ${new URL(redisUrl).host}: start it, or name one with TEST_REDIS_URL`,
  runs('haproxy', '-v') ? '' : 'HAProxy: install it, as in apt-get install haproxy',
  runs('openssl', 'version') ? '' : 'OpenSSL: install it, as in apt-get install openssl',
].filter((text) => text !== '');

if (missing.length > 0) {
  process.stderr.write(`Two regions cannot be started here. What is missing:\n${missing.join('\n')}\n`);
  process.exitCode = 1;
}

async function responds(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

function runs(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
