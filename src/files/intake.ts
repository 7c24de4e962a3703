/** Takes files in: copies each once, hashing it on the way, and judges the copy, which nobody else can change. */
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContentFolderError, type ContentStore } from './content-store.ts';
import { makeFolder, writeNewFile } from './durable.ts';
import { detectMediaType, type MediaType, mediaTypes } from './media-type.ts';

/** No command takes this long: what is older was left behind by a crash. */
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
export class Intake {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal | undefined;

  private constructor(folder: string, maxBytes: number, signal: AbortSignal | undefined) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#signal = signal;
  }

  /**
   * Makes a folder for files that come in, and removes those that a crash has left. The signal ends the copying of a file.
   * @throws {ContentFolderError} if what is added would belong to another user than the folder of all files does
   */
  static async open({ incomingFolder }: ContentStore, maxBytes: number, signal?: AbortSignal): Promise<Intake> {
    const folder = join(incomingFolder, newIncomingName());
    await makeFolder(folder);
    const intake = new Intake(folder, maxBytes, signal);
    try {
      const made = await stat(folder);
      await requireOwner(made, dirname(incomingFolder));
      await removeStale(incomingFolder, made.mtimeMs);
      return intake;
    } catch (error) {
      await intake.close();
      // The user of the files could not use one that was made here.
      await rmdir(incomingFolder).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Copies a file.
   * @throws {RefusedFileError} if it is not one that is taken in; the error of the file system if it cannot be read; the
   *   signal's reason; {ContentFolderError} if the copy cannot be written
   */
  async take(path: string): Promise<TakenFile> {
    // Opening a pipe for reading would wait for a writer.
    const source = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await source.stat();
      if (facts.isDirectory()) throw new RefusedFileError('it is a directory; name the files in it');
      if (!facts.isFile()) throw new RefusedFileError('it is no regular file');
      this.#refuseSize(facts.size);
      const copyPath = join(this.#folder, randomUUID());
      const copy = await this.#written(open(copyPath, 'wx+', 0o600));
      try {
        const copied = await this.#copy(source, copy);
        const mediaType = await detectMediaType(copy);
        if (mediaType) return { path: copyPath, ...copied, mediaType };
        throw new RefusedFileError(`its content is none of these: ${Object.values(mediaTypes).join(', ')}`);
      } finally {
        await copy.close();
      }
    } finally {
      await source.close();
    }
  }

  async write(name: string, content: Uint8Array): Promise<string> {
    const path = join(this.#folder, name);
    await this.#written(writeNewFile(path, content));
    return path;
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async #copy(source: FileHandle, copy: FileHandle): Promise<Pick<TakenFile, 'sha256' | 'bytes'>> {
    const hash = createHash('sha256');
    const chunk = Buffer.alloc(chunkBytes);
    let bytes = 0;
    for (;;) {
      this.#signal?.throwIfAborted();
      const { bytesRead } = await source.read(chunk, 0, chunkBytes, null);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      this.#refuseSize(bytes);
      const part = chunk.subarray(0, bytesRead);
      hash.update(part);
      await this.#written(copy.writeFile(part));
    }
    if (bytes === 0) throw new RefusedFileError('it is empty');
    await this.#written(copy.sync());
    return { sha256: hash.digest(), bytes };
  }

  /** Tells a fault of the data directory from one of the file that is taken in. */
  async #written<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      throw new ContentFolderError(
        `The content of files cannot be written to ${this.#folder}: ${(error as Error).message}.`,
        { cause: error },
      );
    }
  }

  #refuseSize(bytes: number): void {
    if (bytes > this.#maxBytes)
      throw new RefusedFileError(`it is larger than ${this.#maxBytes} bytes; MAX_FILE_BYTES can allow more`);
  }
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
