import type { Database, Statement, Transaction } from 'better-sqlite3';
import type { CompiledQuery } from 'kysely';
import { LRUCache } from 'lru-cache';
import pRetry from 'p-retry';
import { StoreUnavailableError } from '../errors.ts';
import { gather } from '../gather.ts';
import { type Access as PartAccess, type Result, runAtOnce } from '../statements.ts';
import type { CredentialWithRights } from '../store.ts';
import { DatabaseFile } from './database-file.ts';

/** SQLite's result codes for errors outside the statement: another connection holds the lock, or the disk fails. */
const unavailable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL)/;
const busy = /^SQLITE_BUSY/;
/** The system may remount a failing file system as read-only without any other sign. */
const failedDisk = /^SQLITE_(IOERR|READONLY)/;

const busyRetry = { retries: 1000, minTimeout: 5, factor: 1.5, maxTimeout: 100, maxRetryTime: 5000 };

/** SQLite stores truth values as 0 and 1. */
const booleans: readonly string[] = ['verification_enabled', 'from_cache', 'wanted'];

type Outcome = () => unknown;

interface Write {
  readonly work: () => unknown;
  readonly settingOf: string | undefined;
}

/** A commit waits until so many turns of the event loop bring no further write: a turn costs little compared with it. */
const quietTurns = 2;

function untilQuiet(begin: () => void, writes: readonly Write[], known = 0, quiet = 0): void {
  const { length } = writes;
  const quietNow = length > known ? 0 : quiet + 1;
  if (quietNow === quietTurns) begin();
  else
    setImmediate(() => {
      untilQuiet(begin, writes, length, quietNow);
    });
}

/** An open database. SQLite itself never waits for a lock here: that would block the whole process. */
export class Connection {
  readonly database: Database;
  readonly file: DatabaseFile;
  readonly kept: KeptRows;
  readonly #transaction: Transaction<(work: () => unknown) => unknown>;
  readonly #read = gather(
    (works: readonly (() => unknown)[]) => this.#readTogether(works),
    (begin) => {
      process.nextTick(begin);
    },
  );
  readonly #write = gather((writes: readonly Write[]) => this.#writeTogether(writes), untilQuiet);
  readonly #compiled = new LRUCache<string, { statement: Statement; booleans: string[] }>({ max: 200 });
  #diskFailed = false;

  constructor(database: Database, file = new DatabaseFile(database.name)) {
    this.database = database;
    this.file = file;
    this.kept = new KeptRows(database);
    this.prepare = database.prepare.bind(database);
    this.#transaction = database.transaction((work) => work());
  }

  readonly prepare: Database['prepare'];

  /** Runs a statement, which is compiled once, within `read` or `write`. */
  execute({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Result {
    const { statement, booleans: columns } = this.#compile(sql);
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    if (!statement.reader) return { rows: [], count: statement.run(...values).changes };
    const rows = statement.all(...values) as Record<string, unknown>[];
    for (const row of rows) for (const name of columns) if (row[name] !== null) row[name] = row[name] === 1;
    return { rows, count: rows.length };
  }

  #compile(sql: string) {
    let compiled = this.#compiled.get(sql);
    if (!compiled) {
      const statement = this.prepare(sql);
      const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
      compiled = { statement, booleans: columns.filter((name) => booleans.includes(name)) };
      this.#compiled.set(sql, compiled);
    }
    return compiled;
  }

  /**
   * Reads from one consistent snapshot. Concurrent reads share a snapshot, since starting and ending one takes as long
   * as a look-up; a read never sees a snapshot older than its call. A failed read does not affect the others, unless it
   * ends the snapshot.
   */
  read<T>(work: () => T): Promise<T> {
    return this.#read(work) as Promise<T>;
  }

  /**
   * Writes all or nothing. Concurrent writes share a commit, which is what waits for the disk, but each succeeds or fails
   * independently. While another process holds the write lock, it retries for up to five seconds.
   * @param settingOf the organisation whose setting is all that changes of the rows that are kept
   */
  write<T>(work: () => T, settingOf?: string): Promise<T> {
    return this.#write({ work, settingOf }) as Promise<T>;
  }

  /**
   * Tries a write that changes nothing and so does not access the disk, unless the last write failed on the disk. A
   * lock held by another process is not an error: its holder can write.
   */
  tryWrite(work: () => unknown): void {
    try {
      this.file.requireInPlace();
      this.file.requireRightToWrite();
      this.#transaction.immediate(this.#diskFailed ? () => this.#writePage() : work);
      this.#diskFailed = false;
    } catch (error) {
      if (!isBusy(error)) throw translate(error, this.database.name);
    }
  }

  /** SQLite writes even an unchanged value. */
  #writePage(): unknown {
    const version = Number(this.database.pragma('user_version', { simple: true }));
    return this.database.exec(`PRAGMA user_version = ${version}`);
  }

  // oxlint-disable-next-line @typescript-eslint/require-await -- SQLite responds at once, but an error rejects
  async #readTogether(works: readonly (() => unknown)[]): Promise<Outcome[]> {
    try {
      this.file.requireInPlaceRecently();
      const outcomes = this.#transaction.deferred(() => {
        this.kept.confirm();
        return works.map((work) => this.#attempt(work));
      });
      return outcomes as Outcome[];
    } catch (error) {
      throw translate(error, this.database.name);
    }
  }

  /**
   * If one of several writes fails, which is rare, they run once more, each in a savepoint, so that only what fails is
   * undone: savepoints from the start would cost each write three microseconds of about sixty.
   */
  async #writeTogether(writes: readonly Write[], savepoints = false): Promise<Outcome[]> {
    try {
      const shouldRetry = ({ error }: { error: Error }) => isBusy(error.cause);
      return await pRetry(() => this.#commit(writes, savepoints), { ...busyRetry, shouldRetry });
    } catch (error) {
      if (savepoints || writes.length === 1 || error instanceof StoreUnavailableError) throw error;
      return this.#writeTogether(writes, true);
    }
  }

  #commit(writes: readonly Write[], savepoints: boolean): Outcome[] {
    try {
      const outcomes = this.#transaction.immediate(() => {
        this.kept.confirm();
        const written = writes.map(({ work, settingOf }) => {
          const outcome = this.#attempt(savepoints ? () => this.#transaction(work) : work, savepoints);
          // What it has changed, the next one and later reads must read.
          this.kept.drop(settingOf);
          return outcome;
        });
        this.file.requireWritable();
        return written;
      });
      this.#diskFailed = false;
      return outcomes as Outcome[];
    } catch (error) {
      this.#diskFailed ||= failedDisk.test(resultCode(error));
      throw translate(error, this.database.name);
    }
  }

  /** Throws what must end the whole transaction, or has ended it, as a disk error does. */
  #attempt(work: () => unknown, isolated = true): Outcome {
    try {
      const result = work();
      return () => result;
    } catch (error) {
      if (!isolated || !this.database.inTransaction) throw error;
      const fault = translate(error, this.database.name);
      return () => {
        throw fault;
      };
    }
  }
}

export type Access = Pick<Connection, 'read' | 'write'>;

/** How the parts that are written with Kysely read and write. */
export function partAccessOf(connection: Connection, access: Access): PartAccess {
  const execute = connection.execute.bind(connection);
  return {
    engine: 'sqlite',
    read: (statements) => access.read(() => runAtOnce(statements(), execute)),
    write: (statements) => access.write(() => runAtOnce(statements(), execute)),
  };
}

/** Turns an error into a `StoreUnavailableError`, unless the statement caused it. */
export function translate(error: unknown, database: string): Error {
  if (!unavailable.test(resultCode(error))) return error as Error;
  const message = `The database ${database} cannot be used: ${(error as Error).message}`;
  return new StoreUnavailableError(message, { cause: error });
}

/** Whether a statement failed because another connection holds the lock that it needs. */
export function isBusy(error: unknown): boolean {
  return busy.test(resultCode(error));
}

/** SQLite's result code of an error, or ''. `instanceof` fails: realms share the addon, but not its error class. */
function resultCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Of each kind, so many rows are kept: those used last. */
const maxRows = 10_000;
const rows = <Row extends object | string>() => new LRUCache<string, Row>({ max: maxRows });

/** The setting of an organisation, which the credentials refer to, so that a request looks for one row only. */
export interface KeptSetting {
  /** Undefined when the setting is no longer kept. */
  enabled: boolean | undefined;
}

export interface KeptCredential {
  readonly credential: CredentialWithRights;
  setting: KeptSetting;
}

/**
 * Rows that requests read again and again, kept as long as nobody has written. Within the snapshot of a read, SQLite's
 * `data_version` tells whether another connection of any process has committed; each own write drops what it changes.
 * Read them within a snapshot of the connection, or a transaction that writes, only, and add to them within a snapshot
 * only. That there is no such row is not kept, so that strangers displace no rows of clients.
 */
export class KeptRows {
  /** By the hash of the secret, and by their identifier. */
  readonly credentials = rows<KeptCredential>();
  readonly rights = rows<CredentialWithRights>();
  /** By organisation. */
  readonly settings = new LRUCache<string, KeptSetting>({
    max: maxRows,
    dispose: (setting) => (setting.enabled = undefined),
  });
  /** By organisation and case. */
  readonly revisions = rows<string>();
  readonly #version: () => unknown;
  #versionKept: unknown;

  constructor(database: Database) {
    const version = database.prepare('PRAGMA data_version').pluck();
    this.#version = () => version.get();
  }

  /** To be called first in a snapshot, which this begins, or a transaction that writes: has another connection committed? */
  confirm(): void {
    const version = this.#version();
    if (version !== this.#versionKept) this.drop();
    this.#versionKept = version;
  }

  /** To be called after each own write, within its transaction: drops the setting of this organisation alone, or everything. */
  drop(settingOf?: string): void {
    if (settingOf !== undefined) this.settings.delete(settingOf);
    else for (const kept of [this.credentials, this.rights, this.settings, this.revisions]) kept.clear();
  }
}

/** A row that is kept or, if there is one, read and then kept. */
export function keep<Row extends object | string>(
  kept: LRUCache<string, Row>,
  key: string,
  read: () => Row | undefined,
): Row | undefined {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const found = read();
  if (found !== undefined) kept.set(key, found);
  return found;
}
