/** Takes files in: copies each once, hashing it on the way, and judges the copy, which nobody else can change. */
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContentFolderError, type ContentStore } from './content-store.ts';
import { makeFolder, writeNewFile } from './durable.ts';
import { detectMediaType, type MediaType, mediaTypes } from './media-type.ts';

/** Older folders were left behind by a crash. */
export const staleMilliseconds = 24 * 60 * 60 * 1000;
const chunkBytes = 256 * 1024;
const host = hostname().replace(/[^\w-]/g, '_');
const ofThisHost = new RegExp(`^[0-9a-f-]{36}\\.(\\d+)\\.${host}$`);

/** A file was not taken in; the message is the reason, as the end of a sentence about the file. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';
}

export interface TakenFile {
  readonly path: string;
  readonly sha256: Uint8Array;
  readonly bytes: number;
  readonly mediaType: MediaType;
}

/** The files of one command until they are kept. */
export type Intake = Awaited<ReturnType<typeof openIntake>>;

/**
 * Creates a folder for incoming files, and removes those that a crash left behind. The signal cancels the copying of a
 * file.
 * @throws {ContentFolderError} if added files would belong to another user than the data directory
 */
export async function openIntake({ incomingFolder }: ContentStore, maxBytes: number, signal?: AbortSignal) {
  const folder = join(incomingFolder, newIncomingName());
  const close = () => rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  try {
    const made = await stat(folder);
    await requireOwner(made, dirname(incomingFolder));
    await removeStale(incomingFolder, made.mtimeMs);
  } catch (error) {
    await close();
    // The owner of the data directory could not use a folder created by this user.
    await rmdir(incomingFolder).catch(() => undefined);
    throw error;
  }

  function refuseSize(bytes: number): void {
    if (bytes > maxBytes)
      throw new RefusedFileError(`it is larger than ${maxBytes} bytes; MAX_FILE_BYTES can allow more`);
  }

  /** Distinguishes write errors of the data directory from read errors of the source file. */
  async function written<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      const { message } = error as Error;
      throw new ContentFolderError(`The content of files cannot be written to ${folder}: ${message}.`, {
        cause: error,
      });
    }
  }

  async function copyContent(source: FileHandle, copy: FileHandle): Promise<Pick<TakenFile, 'sha256' | 'bytes'>> {
    const hash = createHash('sha256');
    const chunk = Buffer.alloc(chunkBytes);
    let bytes = 0;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await source.read(chunk, 0, chunkBytes, null);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      refuseSize(bytes);
      const part = chunk.subarray(0, bytesRead);
      hash.update(part);
      await written(copy.writeFile(part));
    }
    if (bytes === 0) throw new RefusedFileError('it is empty');
    await written(copy.sync());
    return { sha256: hash.digest(), bytes };
  }

  return {
    /**
     * @throws {RefusedFileError} if the file is not accepted; the file system's error if it cannot be read; the
     *   signal's reason; {ContentFolderError} if the copy cannot be written
     */
    take: async (path: string): Promise<TakenFile> => {
      // Opening a pipe for reading would wait for a writer.
      const source = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const facts = await source.stat();
        if (facts.isDirectory()) throw new RefusedFileError('it is a directory; name the files in it');
        if (!facts.isFile()) throw new RefusedFileError('it is no regular file');
        refuseSize(facts.size);
        const copyPath = join(folder, randomUUID());
        const copy = await written(open(copyPath, 'wx+', 0o600));
        try {
          const copied = await copyContent(source, copy);
          const mediaType = await detectMediaType(copy);
          if (mediaType) return { path: copyPath, ...copied, mediaType };
          throw new RefusedFileError(`its content is none of these: ${Object.values(mediaTypes).join(', ')}`);
        } finally {
          await copy.close();
        }
      } finally {
        await source.close();
      }
    },
    write: async (name: string, content: Uint8Array): Promise<string> => {
      const path = join(folder, name);
      await written(writeNewFile(path, content));
      return path;
    },
    close,
  };
}

/** What is added is for its owner alone: another user's server could not read it. */
async function requireOwner({ uid }: Stats, filesFolder: string): Promise<void> {
  const { uid: owner } = await stat(filesFolder);
  if (uid === owner) return;
  throw new ContentFolderError(
    `The folder ${filesFolder} belongs to the user ${owner}, and what is added would belong to the user ${uid}: the server ` +
      'could not read it. Run the command as the user of the server. Nothing was added.',
  );
}

/** Ages are taken by the file system's clock: `now` is the time of a folder that was just made. */
async function removeStale(incomingFolder: string, now: number): Promise<void> {
  for (const name of await readdir(incomingFolder)) {
    const folder = join(incomingFolder, name);
    const facts = await stat(folder).catch(() => undefined);
    if (facts && now - facts.mtimeMs > staleMilliseconds && !isOfRunningProcess(name))
      await rm(folder, { recursive: true, force: true });
  }
}

/** A new name in `incoming`. It holds the process and the host, so that nobody removes it while that process runs. */
export function newIncomingName(): string {
  return `${randomUUID()}.${process.pid}.${host}`;
}

/** Whether a folder of this name belongs to a process that runs on this host, whatever the clock says of its age. */
export function isOfRunningProcess(name: string): boolean {
  const [, pid] = ofThisHost.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
