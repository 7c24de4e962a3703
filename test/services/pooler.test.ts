/** A connection pooler between the server and PostgreSQL: what PgBouncer does, and what the start says of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Works with the URL of the database behind a pooler. */
async function withPooler(settings: string[], work: (url: string) => Promise<void>): Promise<void> {
  const folder = await TemporaryFolder.make();
  const url = new URL(database.url);
  const port = await freePort();
  const password = url.password === '' ? '' : ` password=${decodeURIComponent(url.password)}`;
  const configuration = await folder.write(
    'pgbouncer.ini',
    [
      '[databases]',
      `* = host=${url.hostname} port=${url.port} user=${url.username}${password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any`,
      ...settings,
    ].join('\n'),
  );
  // It refuses to run as root, and reads its configuration as the other user.
  await chmod(folder.path, 0o755);
  await chmod(configuration, 0o644);
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const pooler = spawn('pgbouncer', ['-q', ...asNobody, configuration], { stdio: 'ignore' });
  const ended = once(pooler, 'close');
  Object.assign(url, { host: `127.0.0.1:${port}` });
  try {
    for (;;) {
      const client = new pg.Client(url.href);
      client.on('error', () => undefined);
      const connected = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end();
      if (connected) break;
      if (pooler.exitCode !== null) throw new Error('PgBouncer ended before it listened.');
      await sleep(50);
    }
    await work(url.href);
  } finally {
    pooler.kill();
    await ended;
    await folder.remove();
  }
}

const ignored = 'ignore_startup_parameters = lock_timeout,statement_timeout,idle_in_transaction_session_timeout';
const advice = 'Name PostgreSQL itself in DATABASE_URL: each server pools its own connections (DATABASE_POOL_SIZE).';
const open = (url: string, readUrl?: string) => openPostgresStore({ url, readUrl, poolSize: 2 }, 'uk');

test.each([
  ['refuses the settings of a session', [], 'It is reached through a connection pooler.'],
  ['ignores them', [ignored], 'is reached through a connection pooler that drops the settings of a session.'],
])('a pooler that %s stops the start, in one line, and nothing is written', async (_, settings, message) => {
  await withPooler(['pool_mode = transaction', ...settings], async (url) => {
    const line = expect.stringMatching(new RegExp(`^The database .*${message} ${advice.replace(/[()]/g, '\\$&')}$`));
    await expect(open(url)).rejects.toMatchObject({ name: 'StoreOpenError', message: line });
    expect((await database.query("SELECT to_regclass('store') AS store")).rows).toEqual([{ store: null }]);
  });
});

test('so does one that shares sessions, though they have the settings; for a replica too', async () => {
  await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET lock_timeout = '5s'`);
  await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET statement_timeout = '10s'`);
  await withPooler(['pool_mode = transaction', ignored], async (url) => {
    const shared = 'is reached through a connection pooler that shares sessions among clients. Name PostgreSQL itself';
    await expect(open(url)).rejects.toThrow(`${shared} in DATABASE_URL`);
    await expect(open(database.url, url)).rejects.toThrow(`${shared} in DATABASE_READ_URL`);
  });
});

test('one that leaves each client a session with its settings is none that matters', async () => {
  await withPooler(['pool_mode = session', ignored], async (url) => {
    const store = await open(url);
    expect(await store.listOrganisations()).toEqual([]);
    await store.close();
  });
});
