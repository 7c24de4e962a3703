/**
 * The embedded store: one SQLite file, opened by the server itself. In WAL mode readers never wait for a writer, so the
 * command line can run beside a server; with `synchronous = FULL` a confirmed commit survives a power failure.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import { CaseTexts } from '../case-texts/case-texts.ts';
import { currentVersion, migrationsFrom, refuseNewer } from '../schema/migrations.ts';
import { type Authorisation, type Store, withParts } from '../store.ts';
import { requestsOf, sqliteCaseSource } from './requests.ts';
import { type Access, Connection, isBusy, partAccessOf } from './connection.ts';

const openTimeoutMilliseconds = 5000;

/** Opens and migrates a file, which it creates if it is missing. @throws {StoreOpenError} */
export function openSqliteStore(path: string): Store {
  return openDatabase(path, (database) => storeOf(database, path));
}

function storeOf(database: Database, path: string): Store {
  const connection = new Connection(database);
  endOpenCheckpoint(connection);
  const source = sqliteCaseSource(connection);
  const texts = new CaseTexts(source, dirname(path));
  // SQLite begins a transaction on a read-only file without an error, but refuses each statement that could write.
  const changeNothing = connection.prepare('UPDATE organisation SET name = name WHERE false');
  const requests = requestsOf(connection);
  const reading = { findCase: texts.findCase, findCaseText: texts.findCaseText };
  const on = <Own extends object>(access: Access, own: Own) =>
    withParts(partAccessOf(connection, access), Object.assign(own, requests.on(access), reading));
  return on(connection, {
    name: path,
    authorisedBy: (authorisation: Authorisation) => on(requests.authorised(authorisation), {}),
    check: async () => {
      connection.tryWrite(() => changeNothing.run());
      const version = await connection.read(() => versionOf(database));
      if (version < currentVersion())
        throw new StoreUnavailableError(`The database ${path} has schema version ${version}, not ${currentVersion()}`);
    },
    close: () => {
      texts.close();
      source.close();
      database.close();
      connection.file.close();
      return Promise.resolve();
    },
  });
}

/** While a checkpoint seems to be in flight, an overwritten database file is not noticed. */
function endOpenCheckpoint({ database, file }: Connection): void {
  if (!file.isCheckpointOpen) return;
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // A server must also start on a disk that it cannot write to.
  }
}

export function openDatabase<T = Database>(
  path: string,
  use: (database: Database) => T = (database) => database as unknown as T,
): T {
  let database: Database | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    database = new Sqlite(path, { timeout: openTimeoutMilliseconds });
    switchToWal(database);
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    migrate(database, path);
    database.exec('PRAGMA busy_timeout = 0');
    return use(database);
  } catch (error) {
    database?.close();
    if (error instanceof StoreOpenError) throw error;
    throw new StoreOpenError(
      `The database ${path} cannot be opened: ${(error as Error).message}. ` +
        'Check that the data directory (DATA_DIR, --data-dir) is writable and contains a database of this program.',
      { cause: error },
    );
  }
}

/** Retries: if two processes switch a new file at the same time, SQLite refuses one of them without waiting. */
function switchToWal(database: Database): void {
  const deadline = performance.now() + openTimeoutMilliseconds;
  for (;;)
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

/** Several processes can start at once. An up-to-date database is not locked, so that it opens during a long write. */
function migrate(database: Database, path: string): void {
  if (versionOf(database) === currentVersion()) return;
  database
    .transaction(() => {
      const version = versionOf(database);
      refuseNewer(version, path);
      database.exec(migrationsFrom(version, 'sqlite'));
      database.exec(`PRAGMA user_version = ${currentVersion()}`);
    })
    .immediate();
}

export function versionOf(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}
