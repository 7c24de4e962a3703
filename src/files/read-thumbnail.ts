import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { FilesUnavailableError } from './file-access.ts';

export interface Thumbnail {
  readonly content: Buffer;
  readonly modifiedAt: Date;
}

/** Enough for 256 by 256 pixels with transparency. */
export const maxThumbnailBytes = 128 * 1024;

/** Responses with one thumbnail share its content, so that clients that do not read them take no memory. */
const kept = new LRUCache<string, Thumbnail>({
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: ({ content }, path) => content.length + path.length,
});

/** A link is not followed, and a pipe that nobody writes to is not waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Error codes that mean that there is no regular file. */
const noFile = /^(ENOENT|ENOTDIR|ELOOP|EMLINK|EISDIR|ENXIO|ENODEV)$/;

/**
 * Reads a thumbnail; undefined if there is no file of that path, of at most 128 KiB. A folder, a link or a pipe is none.
 * @throws {FilesUnavailableError} if it cannot be read
 */
export async function readThumbnail(path: string): Promise<Thumbnail | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, flags);
    return await readRegular(file, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (noFile.test(code)) return undefined;
    // The original message contains the name, which must not be logged.
    throw new FilesUnavailableError(`A thumbnail cannot be read: ${code}`);
  } finally {
    await file?.close();
  }
}

async function readRegular(file: FileHandle, path: string): Promise<Thumbnail | undefined> {
  const stats = await file.stat();
  if (!stats.isFile() || stats.size > maxThumbnailBytes) return undefined;
  const known = kept.get(path);
  if (known?.content.length === stats.size && known.modifiedAt.getTime() === stats.mtime.getTime()) return known;
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(stats.size), { position: 0 });
  const read = { content: buffer.subarray(0, bytesRead), modifiedAt: stats.mtime };
  kept.set(path, read);
  return read;
}
