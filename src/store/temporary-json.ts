/**
 * JSON text that is too large for memory: an unlinked file, which disappears when nobody uses it any more, even if the
 * process is killed. Any number of clients can read it concurrently, at their own pace, even while it is being written.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileAccess } from '../files/file-access.ts';
import { JsonText } from './json-text.ts';
import { StoreUnavailableError } from './errors.ts';

/** Smaller parts produce so much garbage that V8 grows its heap beyond what they need. */
const readBytes = 128 * 1024;

/** A large text cannot be kept or read for now, because of the disk. */
export class TemporaryFileError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(`The temporary file of a large case cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * JSON text in a temporary file. It is used by its writing, by its owner, by each text that it was lent as, and by each call
 * on the file, until they are done.
 */
export class TemporaryJson<T> {
  readonly #file: FileHandle;
  #byteLength = 0;
  #users = 2;
  #owned = true;
  #written = false;
  #failure: unknown;
  #waiting: (() => void)[] = [];

  /**
   * Writes a text into a folder, which is made if there is none. The text belongs to the caller, unless it fails.
   * @param onBegun called when the first part can be read
   * @throws {TemporaryFileError} if it cannot be written
   */
  static async write<T>(
    folder: string,
    text: AsyncIterable<string | Buffer>,
    onBegun: (json: TemporaryJson<T>) => void = () => undefined,
  ): Promise<TemporaryJson<T>> {
    const json = new TemporaryJson<T>(await openUnnamed(folder));
    try {
      let begun = false;
      for await (const part of text) {
        await json.#append(part);
        if (!begun) onBegun(json);
        begun = true;
      }
      json.#written = true;
      return json;
    } catch (error) {
      json.#failure = error;
      json.release();
      throw error;
    } finally {
      json.#tellReaders();
      json.#leave();
    }
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Of what has been written so far. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Whether all of it has been written. */
  get written(): boolean {
    return this.#written;
  }

  async #append(part: string | Buffer): Promise<void> {
    const length = Buffer.byteLength(part);
    await this.#call(async (file) => {
      const { bytesWritten } = typeof part === 'string' ? await file.write(part) : await file.write(part);
      if (bytesWritten < length) await file.writeFile(Buffer.from(part).subarray(bytesWritten));
    });
    this.#byteLength += length;
    this.#tellReaders();
  }

  #tellReaders(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Waits until there is something past a position; false if that is the end. @throws what its writing failed with */
  async reachesPast(position: number): Promise<boolean> {
    // What is being written can be read already, so a reader may be past what has been written.
    while (this.#byteLength <= position && !this.#written && this.#failure === undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#failure !== undefined) throw this.#failure as Error;
    return this.#byteLength > position;
  }

  /** Reads a part; gives how many bytes of the buffer hold it. @throws {TemporaryFileError} if it cannot be read */
  async read(buffer: Buffer, position: number): Promise<number> {
    const { bytesRead } = await this.#call((file) => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) throw new TemporaryFileError(new Error('it has become shorter'));
    return bytesRead;
  }

  /** An abandoned call still uses the file: if the file were closed, another one could get its descriptor. */
  #call<R>(call: (file: FileHandle) => Promise<R>): Promise<R> {
    return orTemporaryFileError(
      fileAccess.run(() => {
        this.#users += 1;
        return call(this.#file).finally(() => {
          this.#leave();
        });
      }),
    );
  }

  /** The text to send, once; undefined if nobody used it any more, so that it is gone. @throws what its writing failed with */
  lend(): JsonText<T> | undefined {
    if (this.#failure !== undefined) throw this.#failure as Error;
    if (this.#users === 0) return undefined;
    this.#users += 1;
    return new LentJson<T>(this, () => {
      this.#leave();
    });
  }

  /** To be called by its owner, who will lend it no more. */
  release(): void {
    if (this.#owned) this.#leave();
    this.#owned = false;
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) fileAccess.runEventually(() => this.#file.close());
  }
}

class LentJson<T> extends JsonText<T> {
  readonly byteLength: number | undefined;
  readonly #json: TemporaryJson<T>;
  readonly discard: () => void;

  constructor(json: TemporaryJson<T>, discard: () => void) {
    super();
    this.byteLength = json.written ? json.byteLength : undefined;
    this.#json = json;
    this.discard = discard;
  }

  async sendTo(destination: Writable, beforePart?: () => Promise<void>): Promise<void> {
    // One for the whole text: what is thrown away is collected so late that each large text would be in memory once.
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    try {
      for (let position = 0; await this.#json.reachesPast(position);) {
        await beforePart?.();
        const bytesRead = await this.#json.read(buffer, position);
        if (!(await isTaken(buffer.subarray(0, bytesRead), destination))) return;
        position += bytesRead;
      }
      destination.end();
    } finally {
      this.discard();
    }
  }
}

/** Writes a part, and waits until the destination needs it no more; false if that is gone. */
function isTaken(part: Buffer, destination: Writable): Promise<boolean> {
  return new Promise((resolve) => {
    if (destination.destroyed) {
      resolve(false);
      return;
    }
    const gone = () => {
      resolve(false);
    };
    destination.once('close', gone);
    destination.write(part, (error) => {
      destination.off('close', gone);
      resolve(!error);
    });
  });
}

function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `.${randomUUID()}.json`);
  return orTemporaryFileError(
    fileAccess.run(async (given) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(path, 'wx+', 0o600);
      await unlink(path);
      if (given.up) await file.close();
      return file;
    }),
  );
}

async function orTemporaryFileError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new TemporaryFileError(error);
  }
}
