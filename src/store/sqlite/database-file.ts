/**
 * Checks that the files that SQLite has open are still those at their paths. SQLite keeps using removed files: an
 * update would be confirmed and lost, and a credential revoked in a new file would still be valid. This code never
 * opens the files, because closing any descriptor of a file releases all locks of the process on it (POSIX).
 */
import { accessSync, type BigIntStats, constants, statSync } from 'node:fs';
import { StoreUnavailableError } from '../errors.ts';

const suffixes = ['', '-wal', '-shm'] as const;
const recentMilliseconds = 100;
const restore = 'Move the original back, or stop the server, restore a backup, and start it again';
const restart = 'Stop all programs that use the database, so that they save its data, and start the server again';

/** The database file and the two files beside it, by device and inode. */
export class DatabaseFile {
  readonly #path: string;
  readonly #opened: readonly (BigIntStats | undefined)[];
  #nextCheck = 0;

  /** Call it after SQLite has opened the database and read from it. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = suffixes.map((suffix) => statsOf(path + suffix));
  }

  /** @throws {StoreUnavailableError} if one of the files was removed or replaced */
  requireInPlace(): void {
    for (const [index, suffix] of suffixes.entries()) this.#require(suffix, this.#opened[index]);
    this.#nextCheck = performance.now() + recentMilliseconds;
  }

  /** The same, but checks at most every 100 ms. */
  requireInPlaceRecently(): void {
    if (performance.now() >= this.#nextCheck) this.requireInPlace();
  }

  /**
   * Call it before a commit. It does not check the files beside the database each time: on Linux, reading the times of
   * a file makes the next write to it more expensive, and every commit writes to the `-wal` file.
   * @throws {StoreUnavailableError} if one of the files was removed or replaced, or the database must not be written
   */
  requireWritable(): void {
    if (performance.now() >= this.#nextCheck) this.requireInPlace();
    else this.#require('', this.#opened[0]);
    this.requireRightToWrite();
  }

  /** @throws {StoreUnavailableError} if the database must not be written */
  requireRightToWrite(): void {
    this.#try(() => {
      accessSync(this.#path, constants.W_OK);
    }, 'it is read-only');
  }

  #require(suffix: (typeof suffixes)[number], opened: BigIntStats | undefined): void {
    const found = this.#try(() => statsOf(this.#path + suffix), 'it cannot be found');
    if (found?.ino === opened?.ino && found?.dev === opened?.dev) return;
    const what = `its file ${this.#path}${suffix} was ${found ? 'replaced' : 'removed'} while it was open`;
    throw this.#unavailable(`${what}. ${suffix === '' ? restore : restart}`);
  }

  #try<T>(look: () => T, reason: string): T {
    try {
      return look();
    } catch (error) {
      throw this.#unavailable(reason, error);
    }
  }

  #unavailable(reason: string, cause?: unknown): StoreUnavailableError {
    this.#nextCheck = 0;
    return new StoreUnavailableError(`The database ${this.#path} cannot be used: ${reason}`, { cause });
  }
}

/** Uses bigint, because file numbers exceed 2^53 on some systems. */
function statsOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
