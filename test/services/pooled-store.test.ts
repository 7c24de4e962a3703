/** All that a store must do, through PgBouncer in transaction mode: nothing may need a session from one transaction to the next. */
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { describeStore } from '../store/conformance.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startPgBouncer } from './pgbouncer.ts';

const database = await createTestDatabase();
const url = await database.serverUrl(database.url);
await prepareDatabase(url, 'uk', { pooled: true });
const role = `${new URL(url).username} IN DATABASE ${new URL(url).pathname.slice(1)}`;
const pooler = await startPgBouncer(url, ['pool_mode = transaction', 'default_pool_size = 3']);

describeStore('pooled PostgreSQL', async () => {
  const fresh = await database.freshUrl();
  await database.serverUrl(fresh);
  // The schema cannot be named in the URL: PgBouncer refuses it.
  const [, schema] = /search_path=(\w+)/.exec(new URL(fresh).searchParams.get('options') ?? '') ?? [];
  await database.query(`ALTER ROLE ${role} SET search_path = ${schema}`);
  await pooler.command('RECONNECT');
  return openPostgresStore({ url: pooler.url, poolSize: 4, pooled: true }, 'uk');
});
