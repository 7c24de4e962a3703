/** A consistent copy of a live database file, in a single file. */
import Sqlite from 'better-sqlite3';
import { StoreOpenError } from '../errors.ts';
import { openSource } from '../sqlite/transfer.ts';

/** Small enough for a progress bar, and large enough that the pauses between steps cost little. */
const pagesOfStep = 1000;

/**
 * Copies a database with SQLite's online backup. The source stays in one read transaction, so that the copy never
 * restarts, however much is written during the copy; writers do not wait.
 * @throws {StoreOpenError} if the source has another schema version, or the copy, and so the source, is damaged
 */
export async function copyDatabase(
  from: string,
  to: string,
  onPages: (copied: number, total: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const source = openSource(from, 'backed up', 1);
  try {
    source.exec('BEGIN');
    // The first read takes the snapshot.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted();
        onPages(totalPages - remainingPages, totalPages);
        return pagesOfStep;
      },
    });
  } catch (error) {
    throw isCorruption(error) ? damaged(from, (error as Error).message) : error;
  } finally {
    source.close();
  }
  const fault = faultOf(to);
  if (fault !== undefined) throw damaged(from, fault);
}

function damaged(path: string, fault: string): StoreOpenError {
  return new StoreOpenError(
    `The database ${path} is damaged: ${fault}. No backup was made. Restore an earlier backup.`,
  );
}

function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** Checks the integrity of a copy, and returns its first fault. It leaves a single file, without a `-wal` file. */
function faultOf(path: string): string | undefined {
  const copy = new Sqlite(path, { fileMustExist: true });
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const found = copy.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get();
    return found === 'ok' ? undefined : String(found);
  } catch (error) {
    if (!isCorruption(error)) throw error;
    return (error as Error).message;
  } finally {
    copy.close();
  }
}

/** The files with stored content that a database references, in the order of their names. */
export interface NamedFiles {
  /** The total number of both kinds. */
  readonly count: number;
  contents(): Iterable<Uint8Array>;
  thumbnailUrls(): Iterable<string>;
}

/** Reads the file references and the schema version of a database without writers. */
export async function readSnapshot<T>(
  path: string,
  work: (files: NamedFiles, schemaVersion: number) => Promise<T>,
): Promise<T> {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const files = 'FROM case_file JOIN analysis USING (file_id) WHERE content_sha256 IS NOT NULL';
    const contents = 'SELECT DISTINCT content_sha256 FROM analysis WHERE content_sha256 IS NOT NULL';
    const values = <T>(sql: string) => database.prepare<[], T>(sql).pluck();
    const number = (sql: string) => Number(values<number>(sql).get());
    const version = number('PRAGMA user_version');
    const named = {
      count: version === 0 ? 0 : number(`SELECT count(*) FROM (${contents})`) + number(`SELECT count(*) ${files}`),
      contents: () => values<Uint8Array>(`${contents} ORDER BY 1`).iterate(),
      thumbnailUrls: () => values<string>(`SELECT thumbnail_url ${files}`).iterate(),
    };
    return await work(named, version);
  } finally {
    database.close();
  }
}
