import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeEach, expect, jest, test } from '@jest/globals';
import Sqlite, { type Database } from 'better-sqlite3';
import { ConflictError, StoreOpenError, StoreUnavailableError } from '../../src/store/errors.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/requests.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addOrganisation, buildCase } from '../support/tenants.ts';
import { describeStore } from './conformance.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});

const path = (name = 'store.sqlite') => join(folder.path, name);

describeStore('SQLite', () => Promise.resolve(openSqliteStore(path(`${randomUUID()}.sqlite`))));

test('opening a SQLite store makes the folder for its owner alone, and the file', async () => {
  const store = openSqliteStore(path('a/b/store.sqlite'));
  await store.close();
  expect((await stat(path('a'))).mode & 0o777).toBe(0o700);
  expect((await stat(path('a/b/store.sqlite'))).isFile()).toBe(true);
});

test('opening a SQLite store has a commit survive a power cut, enforces references, and leaves the waiting to the store', async () => {
  const exec = jest.spyOn(Sqlite.prototype, 'exec');
  const store = openSqliteStore(path());
  const [database] = exec.mock.contexts as Database[];
  exec.mockRestore();
  const valueOf = (name: string) => database?.pragma(name, { simple: true });
  expect(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(valueOf)).toEqual(['wal', 2, 1, 0]);
  await store.close();
  expect(database?.open).toBe(false);
});

test('opening a SQLite store refuses the database of another program that has a version like ours', async () => {
  const other = new Sqlite(path());
  other.exec('CREATE TABLE role (id); PRAGMA user_version = 1');
  other.close();
  const opened = Promise.resolve().then(() => openSqliteStore(path()));
  await expect(opened).rejects.toThrow(StoreOpenError);
  await expect(opened).rejects.toThrow(/cannot be opened: no such table: \w+\. Check that the data directory/);
});

test('opening a SQLite store refuses a file that is no database, and leaves it as it is', async () => {
  await writeFile(path(), 'These are the minutes of the meeting. '.repeat(100));
  const opened = Promise.resolve().then(() => openSqliteStore(path()));
  await expect(opened).rejects.toThrow(StoreOpenError);
  await expect(opened).rejects.toThrow(/cannot be opened: file is not a database\. Check that the data/);
  await expect(opened).rejects.toMatchObject({ cause: { code: 'SQLITE_NOTADB' } });
  expect((await stat(path())).size).toBe(3800);
});

test('opening a SQLite store waits while another process opens the same new file', async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    const database = new (require('better-sqlite3'))(workerData);
    database.exec('CREATE TABLE other (id); BEGIN IMMEDIATE');
    parentPort.postMessage('locked');
    setTimeout(() => database.close(), 300);`;
  const worker = new Worker(script, { eval: true, workerData: path() });
  const released = once(worker, 'exit');
  await once(worker, 'message');
  const store = openSqliteStore(path());
  expect(await store.listOrganisations()).toEqual([]);
  await store.close();
  await released;
});

/** test/resilience/hostile-connections.test.ts has reads go on, and a write be made when the lock is released. */
test('a SQLite file whose write lock another program holds is ready, and refuses a write after five seconds of other work', async () => {
  const store = openSqliteStore(path());
  let ticks = 0;
  const clock = setInterval(() => (ticks += 1), 100).unref();
  const other = new Sqlite(path());
  other.exec('BEGIN IMMEDIATE');
  const started = performance.now();
  const refused = addOrganisation(store);
  await store.check();
  await expect(refused).rejects.toThrow(StoreUnavailableError);
  await expect(refused).rejects.toMatchObject({
    message: `The database ${path()} cannot be used: database is locked`,
    cause: { code: 'SQLITE_BUSY' },
  });
  expect(performance.now() - started).toBeGreaterThan(4900);
  other.close();
  clearInterval(clock);
  expect(ticks).toBeGreaterThan(20);
  expect(await store.listOrganisations()).toEqual([]);
  await store.close();
});

test('what SQLite refuses for another reason than a taken name or identifier is no conflict', async () => {
  const store = openSqliteStore(path());
  const organisationId = await addOrganisation(store);
  const nothing = null as unknown as string;
  const files = buildCase(['analysing']).files.map((file) => ({ ...file, mime_type: nothing }));
  const organisation = { organisation_id: randomUUID(), created_at: '2026-01-01T00:00:00.000Z' };
  const refused = [
    store.createOrganisation({ ...organisation, name: nothing, features: [], verification_enabled: false }),
    store.importCases(organisationId, [buildCase([], { created_at: nothing })]),
    store.importCases(organisationId, [buildCase([], { files })]),
  ];
  for (const outcome of await Promise.allSettled(refused)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_NOTNULL' } });
    expect(outcome).not.toMatchObject({ reason: expect.any(ConflictError) as unknown });
  }
  await store.close();
});

/** A store with a case, and a source over a connection of its own. */
const opened = async (added = buildCase([])) => {
  const store = openSqliteStore(path());
  const organisationId = await addOrganisation(store);
  await store.importCases(organisationId, [{ ...added, files: added.files.toReversed() }]);
  const database = new Sqlite(store.name);
  const source = sqliteCaseSource(new Connection(database));
  const close = () => {
    source.close();
    database.close();
    return store.close();
  };
  return { id: [organisationId, added.case_id] as const, database, source, close };
};

test('a case in SQLite whose snapshot is lost while it is read tells why', async () => {
  const { id, source, close } = await opened();
  const reading = source.withCase(...id, () => {
    source.close();
    throw new Error('the store was closed');
  });
  await expect(reading).rejects.toThrow('the store was closed');
  await close();
});

test('a case in SQLite has its files in the order of the statements, not in one that SQLite happens to choose', async () => {
  const added = buildCase(Array<'analysing'>(60).fill('analysing'));
  const { id, database, source, close } = await opened(added);
  database.pragma('reverse_unordered_selects = ON');
  const idsOf = (files: unknown) =>
    (JSON.parse(`[${String(files)}]`) as { file_id: string }[]).map(({ file_id: fileId }) => fileId);
  const inOrder = added.files.map(({ file_id: fileId }) => fileId);
  expect(idsOf((await source.readBeginning(...id))?.files)).toEqual(inOrder);
  expect(idsOf((await source.withCase(...id, async (_state, readPart) => readPart()))?.files)).toEqual(inOrder);
  await close();
});
