import { once } from 'node:events';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { StoreOpenError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openPool } from '../../src/store/postgres/connection.ts';
import { CliHarness } from '../support/cli.ts';
import { serveBytes, withProxy } from '../support/misbehaving-servers.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { addOrganisation } from '../support/tenants.ts';
import { runBeside } from './run-beside.ts';

const password = encodeURIComponent('p@ss/w?rd#1:%');
const open = (url: string, region: 'uk' | 'ca' = 'uk') => openPostgresStore({ url, poolSize: 2 }, region);

/** Opening is refused with the message; no part of the error contains the password. */
async function expectRefusal(url: string, message: RegExp): Promise<void> {
  const error: unknown = await open(url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreOpenError);
  expect((error as Error).message).toMatch(message);
  const { password: given } = new URL(url);
  if (given === '') return;
  for (const form of [given, decodeURIComponent(given)])
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(form);
}

describeDatabase('opening a PostgreSQL store', (database) => {
  const change = async (parts: Partial<URL>): Promise<string> =>
    Object.assign(new URL(await database.freshUrl()), parts).href;

  test('gives its sessions settings that no reload of the configuration of PostgreSQL changes', async () => {
    const { pool } = openPool(await database.freshUrl(), 1);
    const { rows } = await pool.query(`
      SELECT name, setting FROM pg_settings WHERE source IN ('client', 'session')
        AND name ~ '(lock|statement|session)_timeout$|^default_transaction_(iso|read)|^synchronous_commit$' ORDER BY name`);
    expect(rows).toEqual([
      { name: 'default_transaction_isolation', setting: 'read committed' },
      { name: 'default_transaction_read_only', setting: 'off' },
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '5000' },
      { name: 'statement_timeout', setting: '10000' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
    await pool.end();
  });

  test.each(['CREATE TABLE store (id integer)', 'CREATE TABLE role (id integer)'])(
    'refuses the database of another program (%s), and leaves it as it is',
    async (statement) => {
      const url = await database.freshUrl();
      await runBeside(url, statement);
      await expectRefusal(url, /It contains objects of another program\. Name an empty database in DATABASE_URL\.$/);
      await runBeside(url, statement.replace(/CREATE (TABLE \w+).*/, 'DROP $1'));
      await (await open(url)).close();
    },
  );

  /** test/services/pooled*.test.ts have the pooler between. */
  test('for a pooler works once its role has the settings of a server, and is not ready when it has lost them', async () => {
    const url = await database.freshUrl();
    const location = { url, poolSize: 2, pooled: true };
    await expect(openPostgresStore(location, 'uk')).rejects.toThrow('lock_timeout is 0, not 5000');
    const cli = await CliHarness.start();
    const environment = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
    expect((await cli.run(['store', 'migrate'], { environment })).stdout).toMatch(
      /^\S+ has the settings that a server behind a pooler needs\.$/m,
    );
    const store = await openPostgresStore(location, 'uk');
    const id = await addOrganisation(store);
    expect(await store.listOrganisations()).toMatchObject([{ organisation_id: id }]);
    await store.check();
    await store.close();

    const later = await openPostgresStore(location, 'uk');
    const { username, pathname } = new URL(url);
    await database.query(`ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} RESET ALL`);
    await expect(later.check()).rejects.toThrow(
      /cannot be used through its pooler: .*statement_timeout is 0, not 10000/,
    );
    await later.close();
  });

  test('refuses an engine that is too old', () =>
    withProxy(
      database.url,
      { toClient: (bytes) => Buffer.from(bytes.toString('latin1').replace(/\b1\d\.(\d+)/g, '13.$1'), 'latin1') },
      (url) => expectRefusal(url, /runs on PostgreSQL 13\..*needs version 14 or newer\. Upgrade PostgreSQL\.$/),
    ));

  test('refuses a database of an encoding that cannot hold every text', async () => {
    const name = new URL(database.url).pathname.slice(1) + '_ascii';
    await database.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    const url = await change({ pathname: name, search: '' });
    await expectRefusal(url, /has the encoding SQL_ASCII, .*createdb --encoding=UTF8/);
    await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  const ofOtherRegion = async () => {
    const url = await database.freshUrl();
    await (await open(url, 'ca')).close();
    return url;
  };
  const asReader = async () => {
    const username = `reader_${Date.now()}`;
    await database.query(`CREATE ROLE ${username} LOGIN`);
    return change({ username, search: '' });
  };
  const elsewhere = (parts: Partial<URL>) => () => change({ password, ...parts });
  const refusals: [string, () => Promise<string>, RegExp][] = [
    ['of another region', ofOtherRegion, /belongs to region ca, not uk\. Give each region a database of its own/],
    [
      'that takes no writes',
      () => change({ search: '?options=-c default_transaction_read_only=on' }),
      /is read-only\. DATABASE_URL must name the primary\.$/,
    ],
    [
      'in which the user may not make tables',
      asReader,
      /permission denied for schema public\. Let the owner of the database run: .* or make that user the owner\.$/,
    ],
    [
      'that does not exist',
      elsewhere({ pathname: 'nowhere' }),
      /: database "nowhere" does not exist\. Create the database, or correct its name in DATABASE_URL\.$/,
    ],
    [
      'on an unknown host',
      elsewhere({ hostname: 'nowhere.invalid' }),
      /^The database \S+ on nowhere\.invalid:\d+ cannot be opened: .*Check the host in DATABASE_URL\.$/,
    ],
    [
      'without encryption, as required',
      () => change({ search: 'sslmode=require' }),
      /does not support SSL connections\. Check sslmode and sslrootcert in DATABASE_URL\.$/,
    ],
    [
      'whose certificate cannot be checked',
      () => change({ search: 'sslmode=verify-full&sslrootcert=/nowhere.pem' }),
      /ENOENT: .*Check sslmode and sslrootcert in DATABASE_URL\.$/,
    ],
  ];
  test.each(refusals)('refuses a database %s, and tells what to do, never the password', async (_, urlOf, message) => {
    await expectRefusal(await urlOf(), message);
  });
});

test.each([
  ['28P01', 'password authentication failed for user "somebody"', /Check the user and the password in DATABASE_URL/],
  ['53300', 'sorry, too many clients already', /max_connections, or lower DATABASE_POOL_SIZE/],
  ['57P03', 'the database system is starting up', /Try again when PostgreSQL has started/],
])(
  'a PostgreSQL server that responds with %s is told with what to do, and never the password',
  async (code, message, advice) => {
    const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    const target = await serveBytes((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields]))),
    );
    await expectRefusal(`postgres://somebody:${password}@${new URL(target).host}/cases`, advice);
  },
);

test('a PostgreSQL server that wants a password where none is given is told with what to do, and left', async () => {
  const message = (body: string) => {
    const head = Buffer.alloc(5);
    head.write('R');
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, Buffer.from(body, 'latin1')]);
  };
  let left: Promise<unknown> | undefined;
  const target = await serveBytes((socket) => {
    left = once(socket, 'close');
    socket.once('data', () => {
      socket.write(message('\0\0\0\x0aSCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(message('\0\0\0\x0br=1,s=1,i=1')));
    });
  });
  const url = `postgres://somebody@${new URL(target).host}/cases`;
  await expectRefusal(url, /Check the user and the password in DATABASE_URL/);
  await left;
});
