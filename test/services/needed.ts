/** Looks for what `npm test -- services` needs, and says what is missing and how to get it. */
import { execFileSync } from 'node:child_process';
import { noPostgres } from '../support/postgres.ts';
import { noRedisServer } from '../support/redis.ts';

const missing = [
  noPostgres === undefined ? '' : 'PostgreSQL: start it on 127.0.0.1:5432, or name one with TEST_DATABASE_URL',
  noRedisServer === undefined ? '' : 'Redis: install it, as in apt-get install redis-server',
  runs('psql', '--version') ? '' : 'psql: install it, as in apt-get install postgresql-client',
  runs('haproxy', '-v') ? '' : 'HAProxy: install it, as in apt-get install haproxy',
  runs('squid', '-v') ? '' : 'Squid: install it, as in apt-get install squid',
  runs('pgbouncer', '--version') ? '' : 'PgBouncer: install it, as in apt-get install pgbouncer',
  runs('openssl', 'version') ? '' : 'OpenSSL: install it, as in apt-get install openssl',
].filter((text) => text !== '');

if (missing.length > 0) {
  process.stderr.write(`Two regions cannot be started here. What is missing:\n${missing.join('\n')}\n`);
  process.exitCode = 1;
}

function runs(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
