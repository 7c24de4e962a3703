/**
 * Checks that the files that SQLite has open are still those at their paths, and that nothing but a checkpoint has
 * written to the database file. SQLite goes on with removed files and pages in memory: an update would be confirmed and
 * lost, and a credential revoked in a new file would still be valid.
 */
import { accessSync, type BigIntStats, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { StoreUnavailableError } from '../errors.ts';

const suffixes = ['', '-wal', '-shm'] as const;
const recentMilliseconds = 100;
const restore = 'Move the original back, or stop the server, restore a backup, and start it again';
const restart = 'Stop all programs that use the database, so that they save its data, and start the server again';
const restoreWhole = 'Stop all programs that use the database, restore a backup, and start the server again';

/** The database file and the two files beside it, by device and inode. */
export class DatabaseFile {
  readonly #path: string;
  readonly #opened: readonly (BigIntStats | undefined)[];
  readonly #index: ReturnType<typeof openIndex>;
  /** The checkpoints as they were before the last look at the time of the database file. */
  #checkpoints: Checkpoints;
  #modified: bigint | undefined;
  #overwritten = false;
  #nextCheck = 0;
  #closed = false;

  /** Call it after SQLite has opened the database and read from it. */
  constructor(path: string) {
    this.#path = path;
    this.#index = openIndex(`${path}-shm`);
    this.#checkpoints = this.#index.checkpoints();
    this.#opened = suffixes.map((suffix) => statsOf(path + suffix));
    this.#modified = this.#opened[0]?.mtimeNs;
  }

  /** Whether a checkpoint is in flight, or SQLite has recovered the `-wal` file after a crash, which looks the same. */
  get isCheckpointOpen(): boolean {
    return this.#checkpoints.open;
  }

  /** Call it after SQLite has closed the database. */
  close(): void {
    if (!this.#closed) this.#index.close();
    this.#closed = true;
  }

  /** @throws {StoreUnavailableError} if one of the files was removed or replaced, or the database overwritten */
  requireInPlace(): void {
    for (const [index, suffix] of suffixes.entries()) this.#require(suffix, this.#opened[index]);
    this.#nextCheck = performance.now() + recentMilliseconds;
  }

  /** The same, but checks at most every 100 ms. */
  requireInPlaceRecently(): void {
    if (performance.now() >= this.#nextCheck) this.requireInPlace();
  }

  /**
   * Call it before a commit. It checks the files beside the database at most every 100 ms: on Linux, reading the times of
   * a file makes the next write to it more expensive, and every commit writes to the `-wal` file.
   * @throws {StoreUnavailableError} as `requireInPlace` does, or if the database must not be written
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
    const checkpoints = suffix === '' ? this.#index.checkpoints() : undefined;
    const found = this.#try(() => statsOf(this.#path + suffix), 'it cannot be found');
    if (found?.ino !== opened?.ino || found?.dev !== opened?.dev)
      throw this.#changed(suffix, found ? 'replaced' : 'removed', suffix === '' ? restore : restart);
    if (checkpoints === undefined) return;
    if (found?.mtimeNs !== this.#modified) {
      // Has a checkpoint begun or ended since the last look? Before its first write, SQLite notes its end.
      const { open, text } = this.#index.checkpoints();
      this.#overwritten ||= !open && text === this.#checkpoints.text;
    }
    if (this.#overwritten) throw this.#changed(suffix, 'overwritten', restoreWhole);
    this.#checkpoints = checkpoints;
    this.#modified = found?.mtimeNs;
  }

  #changed(suffix: string, how: string, advice: string): StoreUnavailableError {
    return this.#unavailable(`its file ${this.#path}${suffix} was ${how} while it was open. ${advice}`);
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

/** What the index says of checkpoints: a text that changes with each, and whether one is in flight. */
interface Checkpoints {
  readonly text: string;
  readonly open: boolean;
}

/** The place of fields in the index: https://sqlite.org/walformat.html, sections 2.1 and 2.3. */
const fields = { salts: [32, 40], backfilled: [96, 100], backfillAttempted: [128, 132] } as const;

const unknown: Checkpoints = { text: '', open: true };

/** The indexes that this process has open. */
const indexes = new Map<string, { readonly descriptor: number; users: number }>();

/**
 * Opens SQLite's index of the `-wal` file, which says how much of it checkpoints have copied. Closing any descriptor of a
 * file releases all locks of the process on it (POSIX), SQLite's too: each file has one, which is closed with its last user.
 */
function openIndex(path: string) {
  const stats = statsOf(path);
  if (!stats) return { checkpoints: () => unknown, close: () => undefined };
  const key = `${stats.dev} ${stats.ino}`;
  const index = indexes.get(key) ?? { descriptor: openSync(path, 'r'), users: 0 };
  index.users += 1;
  indexes.set(key, index);
  const bytes = Buffer.alloc(fields.backfillAttempted[1]);
  return {
    checkpoints: (): Checkpoints => {
      if (readSync(index.descriptor, bytes, 0, bytes.length, 0) < bytes.length) return unknown;
      const [salts = '', backfilled, attempted] = Object.values(fields).map(([from, to]) =>
        bytes.toString('latin1', from, to),
      );
      return { text: `${salts}${backfilled}${attempted}`, open: backfilled !== attempted };
    },
    close: () => {
      index.users -= 1;
      if (index.users > 0) return;
      indexes.delete(key);
      closeSync(index.descriptor);
    },
  };
}
