/**
 * The content of files, each stored once under its SHA-256. It is written elsewhere, flushed and renamed, so that it is
 * complete even after a crash or a power failure, and several processes can add concurrently.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, createReadStream, openSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../domain/errors.ts';
import { moveFile } from './durable.ts';

/** Error codes that concern a single file, not the whole folder. */
const unreadable = /^(ENOENT|ENOTDIR|EISDIR|ELOOP|EACCES|EPERM|EIO)$/;

/** The content of files cannot be read or written: the folder is another one, or another user's, or its disk is full. */
export class ContentFolderError extends OperatorError {
  override readonly name = 'ContentFolderError';
}

export class ContentStore {
  /** Where files are written before they are moved to their place. */
  readonly incomingFolder: string;
  readonly contentFolder: string;

  /** The folder is created when content is first added. */
  constructor(folder: string) {
    this.incomingFolder = join(folder, 'incoming');
    this.contentFolder = join(folder, 'content');
  }

  pathOf(sha256: Uint8Array): string {
    const name = Buffer.from(sha256).toString('hex');
    return join(this.contentFolder, name.slice(0, 2), name);
  }

  /** Whether something is stored under this SHA-256, damaged or not. */
  has(sha256: Uint8Array): boolean {
    try {
      // Opened, because a network file system may tell from memory that a file exists.
      closeSync(openSync(this.pathOf(sha256), 'r'));
      return true;
    } catch (error) {
      return !/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '');
    }
  }

  /**
   * The path of stored content, after reading all of it; undefined if it is gone, unreadable, or not of this SHA-256.
   * @throws {ContentFolderError} if no content at all can be read; an AbortError if the signal is aborted
   */
  async verified(sha256: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    await this.#requireFolder();
    return this.#verified(sha256, signal);
  }

  /** Moves content to its place. If it is stored already, and undamaged, nothing is done. */
  async keep(path: string, sha256: Uint8Array): Promise<void> {
    if ((await this.#verified(sha256)) === undefined) await moveFile(path, this.pathOf(sha256));
  }

  async #requireFolder(): Promise<void> {
    try {
      await access(this.contentFolder, constants.R_OK | constants.X_OK);
    } catch (error) {
      throw new ContentFolderError(
        `The content of files cannot be read: ${(error as Error).message}. ` +
          'Name the data directory that files are added to (DATA_DIR, --data-dir), as a user who may read it.',
        { cause: error },
      );
    }
  }

  async #verified(sha256: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    const path = this.pathOf(sha256);
    try {
      const hash = createHash('sha256');
      await pipeline(createReadStream(path), hash, signal ? { signal } : {});
      return hash.digest().equals(sha256) ? path : undefined;
    } catch (error) {
      if (unreadable.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }
}
