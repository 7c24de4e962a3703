import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { sqliteCaseSource } from '../../src/store/sqlite/requests.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { DatabaseFile } from '../../src/store/sqlite/database-file.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { sqliteTransferable } from '../../src/store/sqlite/transfer.ts';
import type { Store } from '../../src/store/store.ts';
import { withDataDir } from '../support/process.ts';
import { until } from '../support/until.ts';
import { addCase, addOrganisation } from '../support/tenants.ts';

const longerThanReadsGoOn = 120;

/** Works on a store whose file has something in it. */
async function withStore(work: (store: Store, path: string) => Promise<void>): Promise<void> {
  await withDataDir(async (dataDir) => {
    const store = openSqliteStore(`${dataDir}/a.sqlite`);
    await addOrganisation(store);
    await work(store, store.name);
    await store.close();
  });
}

/** Puts the file of another store in the place of one that is in use. */
async function replace(path: string): Promise<void> {
  await openSqliteStore(`${path}.new`).close();
  renameSync(`${path}.new`, path);
}

const removed = (suffix: string) => (path: string) => rename(path + suffix, `${path}.away`);
test.each([
  ['', 'removed', removed(''), 'Move the original back'],
  ['', 'replaced', replace, 'Move the original back'],
  ['-wal', 'removed', removed('-wal'), 'Stop all programs'],
  ['-shm', 'removed', removed('-shm'), 'Stop all programs'],
])('a store whose file "%s" is %s refuses every write, after 100 ms every read, and is not ready', async (...row) => {
  const [suffix, how, change, advice] = row;
  await withStore(async (store, path) => {
    await sleep(longerThanReadsGoOn);
    expect(await store.listOrganisations()).toHaveLength(1);
    await change(path);
    const message = `The database ${path} cannot be used: its file ${path}${suffix} was ${how} while it was open. ${advice}`;
    await sleep(longerThanReadsGoOn);
    await expect(store.listOrganisations()).rejects.toThrow(message);
    await expect(addOrganisation(store)).rejects.toThrow(StoreUnavailableError);
    await expect(addOrganisation(store)).rejects.toThrow(message);
    await expect(store.check()).rejects.toThrow(message);
    if (how === 'replaced') return;
    // It is put back and used again, or closing the store saves what was in the file beside it.
    if (suffix === '') {
      renameSync(`${path}.away`, path);
      await store.check();
      await addOrganisation(store);
    }
    await store.close();
    const next = openSqliteStore(path);
    expect(await next.listOrganisations()).toHaveLength(suffix === '' ? 2 : 1);
    await next.close();
  });
});

/** Copies a file over one that is in use. The clock of the file system may be coarse. */
async function overwrite(path: string, by: string): Promise<void> {
  const { mtimeNs: before } = statSync(path, { bigint: true });
  await until('the time of the file has changed', () => {
    copyFileSync(by, path);
    return statSync(path, { bigint: true }).mtimeNs !== before;
  });
}

test.each(['new', 'recovered after a crash'])(
  'a store that is %s refuses everything once its file is overwritten, also by a copy of itself, until it is opened again',
  async (state) => {
    await withStore(async (first, firstPath) => {
      const path = state === 'new' ? firstPath : `${firstPath}.crashed`;
      if (state !== 'new') for (const suffix of ['', '-wal']) copyFileSync(firstPath + suffix, path + suffix);
      const store = state === 'new' ? first : openSqliteStore(path);
      copyFileSync(path, `${path}.copy`);
      await store.check();
      await overwrite(path, `${path}.copy`);
      const message = `its file ${path} was overwritten while it was open. Stop all programs that use the database, restore`;
      await expect(addOrganisation(store)).rejects.toThrow(message);
      await expect(store.check()).rejects.toThrow(StoreUnavailableError);
      await expect(store.listOrganisations()).rejects.toThrow(message);

      const other = new Sqlite(path);
      other.pragma('wal_checkpoint(TRUNCATE)');
      other.close();
      await expect(store.check()).rejects.toThrow(message);
      await store.close();
    });
  },
);

test('a checkpoint, its own or of another program, overwrites nothing', async () => {
  await withStore(async (store, path) => {
    const { mtimeNs: before } = statSync(path, { bigint: true });
    const other = new Sqlite(path);
    await until('a checkpoint has written to the file', async () => {
      await addOrganisation(store);
      other.pragma('wal_checkpoint(PASSIVE)');
      await store.check();
      return statSync(path, { bigint: true }).mtimeNs !== before;
    });
    other.close();
    await store.check();
  });
});

test('closing a store leaves the locks of another store of the process on the same file', async () => {
  await withStore(async (_store, path) => {
    await openSqliteStore(path).close();
    const openElsewhere = `new (require('better-sqlite3'))(process.argv[1]).exec('DELETE FROM organisation_feature')`;
    execFileSync(process.execPath, ['--eval', openElsewhere, path], { timeout: 60_000 });
    // Without these locks, it would have recovered the `-wal` file as after a crash.
    const file = new DatabaseFile(path);
    expect(file.isCheckpointOpen).toBe(false);
    file.close();
  });
});

test('a large case is not read from a file that was put in the place of the own', async () => {
  await withStore(async (store, path) => {
    const organisationId = await addOrganisation(store);
    const caseId = await addCase(store, organisationId);
    const database = new Sqlite(path);
    const source = sqliteCaseSource(new Connection(database));
    expect(await source.findRevision(organisationId, caseId)).toBeDefined();
    await replace(path);
    await expect(source.withCase(organisationId, caseId, () => Promise.resolve())).rejects.toThrow('replaced');
    database.close();
  });
});

test('a copy is not told as made if its file was removed meanwhile', async () => {
  await withDataDir(async (dataDir) => {
    const path = `${dataDir}/copy.sqlite`;
    const copied = sqliteTransferable(path).write(() => {
      rmSync(path);
      return Promise.resolve();
    });
    await expect(copied).rejects.toThrow(StoreUnavailableError);
  });
});
