/** A connection pooler between the server and PostgreSQL of which the server was not told: what the start says of it. */
import { expect, test } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startPgBouncer } from './pgbouncer.ts';

const database = await createTestDatabase();

const ignored = 'ignore_startup_parameters = lock_timeout,statement_timeout,idle_in_transaction_session_timeout';
const advice =
  'Set DATABASE_URL to a direct connection to PostgreSQL: ' +
  'each server pools its own connections (DATABASE_POOL_SIZE). ' +
  'Or, except for store migrate, set DATABASE_POOLER=transaction.';
const open = (url: string) => openPostgresStore({ url, poolSize: 2 }, 'uk');

test.each([
  ['refuses the settings of a session', [], 'It is reached through a connection pooler.'],
  ['ignores them', [ignored], 'is reached through a connection pooler that drops the settings of a session.'],
])('a pooler that %s stops the start, in one line, and nothing is written', async (_, settings, message) => {
  const pooler = await startPgBouncer(database.url, ['pool_mode = transaction', ...settings]);
  const line = expect.stringMatching(new RegExp(`^The database .*${message} ${advice.replace(/[()]/g, '\\$&')}$`));
  await expect(open(pooler.url)).rejects.toMatchObject({ name: 'StoreOpenError', message: line });
  expect((await database.query("SELECT to_regclass('store') AS store")).rows).toEqual([{ store: null }]);
  await pooler.kill();
});

test('so does one that shares sessions, though they have the settings', async () => {
  await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET lock_timeout = '5s'`);
  await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET statement_timeout = '10s'`);
  const pooler = await startPgBouncer(database.url, ['pool_mode = transaction', ignored]);
  const shared = `is reached through a connection pooler that shares sessions among clients. ${advice}`;
  await expect(open(pooler.url)).rejects.toThrow(shared);
  await pooler.kill();
});

test('one that leaves each client a session with its settings is none that matters', async () => {
  const pooler = await startPgBouncer(database.url, ['pool_mode = session', ignored]);
  const store = await open(pooler.url);
  expect(await store.listOrganisations()).toEqual([]);
  await store.close();
  await pooler.kill();
});
