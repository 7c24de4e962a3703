/** Looks for what `npm test -- services` needs, and says what is missing and how to get it. */
import { noPostgres } from '../support/postgres.ts';
import { isInstalled } from '../support/redis.ts';

/** The argument with which each program tells its version, and the package that has it. */
const programs = {
  'redis-server': ['--version', 'redis-server'],
  psql: ['--version', 'postgresql-client'],
  haproxy: ['-v', 'haproxy'],
  squid: ['-v', 'squid'],
  pgbouncer: ['--version', 'pgbouncer'],
  openssl: ['version', 'openssl'],
} as const;

const missing = Object.entries(programs).flatMap(([program, [argument, packageName]]) =>
  isInstalled(program, argument) ? [] : [`${program}: install it, as in apt-get install ${packageName}`],
);
if (noPostgres !== undefined)
  missing.unshift('PostgreSQL: start it on 127.0.0.1:5432, or name one with TEST_DATABASE_URL');
if (missing.length > 0) {
  process.stderr.write(`Two regions cannot be started here. What is missing:\n${missing.join('\n')}\n`);
  process.exitCode = 1;
}
