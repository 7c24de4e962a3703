/**
 * The parts of a backup and their digests, one per line, in the format of `sha256sum --check`:
 *
 *     c0ffee…  content/c0/c0ffee…
 */
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { thumbnailName } from '../../files/thumbnail-name.ts';

export const names = { manifest: 'manifest.json', parts: 'parts.sha256', database: 'database.sqlite' } as const;

const chunkBytes = 256 * 1024;

export interface Part {
  readonly name: string;
  readonly sha256: string;
}

export function lineOf({ name, sha256 }: Part): string {
  return `${sha256}  ${name}\n`;
}

/**
 * Reads the list of the parts of a backup, in order.
 * @throws {BackupError} if a line does not name a part; other paths could lead out of the backup
 */
export async function* readParts(folder: string): AsyncGenerator<Part> {
  const lines = createInterface({ input: createReadStream(join(folder, names.parts)), crlfDelay: Infinity });
  for await (const line of lines) {
    const [, sha256, name] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined || !isPart(name))
      throw damagedBackup(folder, `${names.parts} has a line that does not name a part`);
    yield { sha256, name };
  }
}

function isPart(name: string): boolean {
  if (name.startsWith('thumbnails/')) return thumbnailName.test(name.slice('thumbnails/'.length));
  return name === names.database || /^content\/([0-9a-f]{2})\/(?=\1)[0-9a-f]{64}$/.test(name);
}

/** The source of a copy cannot be read. */
export class UnreadablePartError extends Error {
  override readonly name = 'UnreadablePartError';
}

function unreadable(cause: unknown): never {
  throw new UnreadablePartError((cause as Error).message, { cause });
}

/**
 * Copies a file, flushes the copy to the disk, and computes its size and digest. Symbolic links are refused.
 * @param to the path of the copy; if omitted, the file is only read
 * @throws {UnreadablePartError} if the file cannot be read
 */
export async function copyPart(from: string, to: string | undefined, signal?: AbortSignal) {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unreadable);
  try {
    const target = to === undefined ? undefined : await open(to, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      const chunk = Buffer.allocUnsafe(chunkBytes);
      for (let bytes = 0; ;) {
        signal?.throwIfAborted();
        const { bytesRead } = await source.read(chunk, 0, chunkBytes, bytes).catch(unreadable);
        if (bytesRead === 0) {
          await target?.sync();
          return { bytes, sha256: hash.digest('hex') };
        }
        hash.update(chunk.subarray(0, bytesRead));
        await target?.writeFile(chunk.subarray(0, bytesRead));
        bytes += bytesRead;
      }
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
  }
}

/** A backup cannot be made, read or restored; the message says what, where and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The error of a backup with a part that is missing or damaged. */
export function damagedBackup(folder: string, fault: string, cause?: unknown): BackupError {
  return new BackupError(`The backup ${folder} is damaged: ${fault}. Restore another backup.`, { cause });
}

/** Turns an error of the file system into one that names the place and what to do. Other errors stay as they are. */
export function explainWrite(place: string): (error: unknown) => never {
  return (error) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL';
    if (syscall === undefined && !full) throw error;
    const advice = full ? 'Free disk space, or name a folder on another disk' : 'Check that the folder is writable';
    throw new BackupError(`${place} cannot be written: ${message}. ${advice}.`, { cause: error });
  };
}
