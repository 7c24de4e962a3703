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
    const found = checkIntegrity(to);
    if (found !== 'ok') throw damaged(from, found);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw /^SQLITE_(CORRUPT|NOTADB)/.test(code ?? '') ? damaged(from, message) : error;
  } finally {
    source.close();
  }
}

function damaged(path: string, fault: string): StoreOpenError {
  return new StoreOpenError(
    `The database ${path} is damaged: ${fault}. No backup was made. Restore an earlier backup.`,
  );
}

/** Returns the first fault of a copy, or `ok`. It leaves a single file, without a `-wal` file. */
function checkIntegrity(path: string): string {
  const copy = new Sqlite(path, { fileMustExist: true });
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    return String(copy.pragma('integrity_check(1)', { simple: true }));
  } finally {
    copy.close();
  }
}
