/** A copy of a database file that others go on writing to: the state of one moment, in one file. */
import Sqlite, { type Database } from 'better-sqlite3';
import { StoreOpenError } from '../errors.ts';
import { schemaVersion } from './migrate.ts';
import { openSource } from './transfer.ts';

/** Small enough for a progress bar, and large enough that the pauses between cost nothing. */
const pagesOfStep = 1000;

/**
 * Copies a database by SQLite's online backup. The source stays in one read transaction, so that the copy never begins
 * anew however much is written meanwhile; writers do not wait.
 * @throws {StoreOpenError} if the source is of another schema version, or the copy is damaged, as its source then is
 */
export async function copyDatabase(
  from: string,
  to: string,
  onPages: (copied: number, total: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const source = openSource(from, 'backed up');
  try {
    source.exec('BEGIN');
    // The transaction begins to see the state of one moment with its first read.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted();
        onPages(totalPages - remainingPages, totalPages);
        return pagesOfStep;
      },
    });
  } finally {
    source.close();
  }
  requireSound(to, from);
}

/** Has the copy be one file, without others beside it, and checks all of it. */
function requireSound(path: string, from: string): void {
  const copy = new Sqlite(path, { fileMustExist: true });
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const [first, ...more] = copy.prepare<[], string>('PRAGMA integrity_check(10)').pluck().all();
    if (first === 'ok' && more.length === 0) return;
    throw new StoreOpenError(
      `The database ${from} is damaged: ${String(first)}. Nothing is backed up. Restore an earlier backup.`,
    );
  } finally {
    copy.close();
  }
}

/** The files that a database names whose content was added to this region; the order is that of their names. */
export interface NamedFiles {
  /** How many there are of both. */
  readonly count: number;
  contents(): Iterable<Uint8Array>;
  thumbnailUrls(): Iterable<string>;
}

/** Reads what a database that nobody writes to names, and its schema version. */
export async function readSnapshot<T>(
  path: string,
  work: (files: NamedFiles, schemaVersion: number) => Promise<T>,
): Promise<T> {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const files = 'FROM case_file JOIN analysis USING (file_id) WHERE content_sha256 IS NOT NULL';
    const contents = 'SELECT DISTINCT content_sha256 FROM analysis WHERE content_sha256 IS NOT NULL';
    const number = (sql: string) => Number(database.prepare<[], number>(sql).pluck().get());
    return await work(
      {
        count: number(`SELECT count(*) FROM (${contents})`) + number(`SELECT count(*) ${files}`),
        contents: () => values<Uint8Array>(database, `${contents} ORDER BY 1`),
        thumbnailUrls: () => values<string>(database, `SELECT thumbnail_url ${files}`),
      },
      number('PRAGMA user_version'),
    );
  } finally {
    database.close();
  }
}

function values<T>(database: Database, sql: string): Iterable<T> {
  return database.prepare<[], T>(sql).pluck().iterate();
}

/** The schema version of a database that nobody writes to, and whether this program can use it. */
export function readVersion(path: string): { version: number; usable: boolean } {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const version = Number(database.pragma('user_version', { simple: true }));
    return { version, usable: version >= 1 && version <= schemaVersion };
  } finally {
    database.close();
  }
}
