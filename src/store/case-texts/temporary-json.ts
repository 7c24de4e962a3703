/**
 * JSON text that is too large for memory: an unlinked file, which the operating system deletes when it is closed or the
 * process ends. Any number of clients can read it concurrently, at their own pace, even while it is being written.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileAccess } from '../../files/file-access.ts';
import { JsonText } from './json-text.ts';
import { StoreUnavailableError } from '../errors.ts';

/** With smaller parts, V8 grows the heap for their garbage by more than the parts themselves need. */
const readBytes = 128 * 1024;

/** A large text cannot currently be written or read because of a disk error. */
export class TemporaryFileError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(`The temporary file of a large case cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * JSON text in a temporary file. The file is reference-counted: its writer, its owner, each lent text and each call on
 * the file hold a reference until they are done.
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
   * Writes a text into a folder, and creates the folder if needed. On success, the caller owns the text.
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

  get byteLength(): number {
    return this.#byteLength;
  }

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

  /** Waits for data past a position; false at the end of the text. @throws the error of the writer */
  async reachesPast(position: number): Promise<boolean> {
    // Data can be read while it is being written, so a reader may be past the recorded length.
    while (this.#byteLength <= position && !this.#written && this.#failure === undefined)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#failure !== undefined) throw this.#failure as Error;
    return this.#byteLength > position;
  }

  /** Reads a part; returns the number of bytes read. @throws {TemporaryFileError} if it cannot be read */
  async read(buffer: Buffer, position: number): Promise<number> {
    const { bytesRead } = await this.#call((file) => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) throw new TemporaryFileError(new Error('it was truncated'));
    return bytesRead;
  }

  /** An abandoned call still uses the file: if the file were closed, another one could get its descriptor. */
  #call<R>(call: (file: FileHandle) => Promise<R>): Promise<R> {
    return access(() => {
      this.#users += 1;
      return call(this.#file).finally(() => {
        this.#leave();
      });
    });
  }

  /** The text, to be sent once; undefined if the file is already released. @throws the error of the writer */
  lend(): JsonText<T> | undefined {
    if (this.#failure !== undefined) throw this.#failure as Error;
    if (this.#users === 0) return undefined;
    this.#users += 1;
    return new LentJson<T>(this, () => {
      this.#leave();
    });
  }

  /** Drops the owner's reference; the owner must not lend the text afterwards. */
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
    // One buffer for the whole text: garbage is collected so late that otherwise the whole text would be in memory.
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

/** Writes a part, and waits until the destination no longer needs it; false if the destination has closed. */
async function isTaken(part: Buffer, destination: Writable): Promise<boolean> {
  if (destination.destroyed) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const gone = () => {
    resolve(false);
  };
  destination.once('close', gone);
  destination.write(part, (error) => {
    destination.off('close', gone);
    resolve(!error);
  });
  return promise;
}

function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `.${randomUUID()}.json`);
  return access(async (given) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    if (given.up) await file.close();
    return file;
  });
}

function access<T>(calls: (given: { up: boolean }) => Promise<T>): Promise<T> {
  return fileAccess.run(calls).catch((error: unknown) => {
    throw new TemporaryFileError(error);
  });
}
