/** JSON text that is ready to be sent: in memory, or in a temporary file if it is too large for that. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileAccess } from '../../files/file-access.ts';
import { StoreUnavailableError } from '../errors.ts';

declare const value: unique symbol;

/** A `T` as JSON text. Its receiver sends it once, or discards it. */
// oxlint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the text to the type of its value
export class JsonText<T> {
  declare readonly [value]: T;

  readonly byteLength: number;
  /**
   * Writes the whole text to a destination, unless the destination closes early, and ends it. The memory of each part is
   * reused once the destination has called the callback of its write. `beforePart` is awaited before each part of a text
   * that is sent in parts. Rejects if the text cannot be read.
   */
  readonly sendTo: (destination: Writable, beforePart?: () => Promise<void>) => Promise<void> | undefined;
  readonly discard: () => void;

  constructor(byteLength: number, sendTo: JsonText<T>['sendTo'], discard: () => void = () => undefined) {
    this.byteLength = byteLength;
    this.sendTo = sendTo;
    this.discard = discard;
  }
}

/** Ends a destination with a text of this many bytes. ASCII text needs no encoding. */
export function endWithText(destination: Writable, text: string, byteLength: number): void {
  destination.end(text, text.length === byteLength ? 'latin1' : 'utf8');
}

/** A short text is sent as a string, together with the head of its response; a long one is copied less often as bytes. */
const maxBytesOfString = 16 * 1024;

/** JSON text in memory, which can be sent any number of times. */
export function jsonInMemory<T>(text: string): JsonText<T> {
  const byteLength = Buffer.byteLength(text);
  const bytes = byteLength > maxBytesOfString ? Buffer.from(text) : undefined;
  return new JsonText(byteLength, (destination) => {
    if (bytes) destination.end(bytes);
    else endWithText(destination, text, byteLength);
    return undefined;
  });
}

/** With smaller parts, V8 grows the heap for their garbage by more than the parts themselves need. */
const readBytes = 128 * 1024;

/** A large text cannot currently be written or read because of a disk error. */
export class TemporaryFileError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(`The temporary file of a large case cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * The middle of a large JSON text in an unlinked file, which the operating system deletes when it is closed or the
 * process ends. Any number of clients can read it concurrently, at their own pace. The file is reference-counted: its
 * owner, each lent text and each call on the file hold a reference until they are done.
 */
export class TemporaryJson<T> {
  readonly #file: FileHandle;
  #ends = { before: '', after: '' };
  #byteLength = 0;
  #users = 1;

  /**
   * Writes a text that the caller owns: `write` appends its middle, and returns what is before and after it.
   * @throws {TemporaryFileError} if it cannot be written
   */
  static async write<T>(
    folder: string,
    write: (append: (part: string) => Promise<void>) => Promise<{ before: string; after: string }>,
  ): Promise<TemporaryJson<T>> {
    const json = new TemporaryJson<T>(await openUnnamed(folder));
    try {
      json.#ends = await write((part) => json.#append(part));
      return json;
    } catch (error) {
      json.release();
      throw error;
    }
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  get byteLength(): number {
    return this.#byteLength + Buffer.byteLength(this.#ends.before) + Buffer.byteLength(this.#ends.after);
  }

  async #append(part: string): Promise<void> {
    const bytes = Buffer.from(part);
    await this.#call((file) => file.writeFile(bytes));
    this.#byteLength += bytes.length;
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

  /** The text, to be sent once; undefined if the file is already released. */
  lend(): JsonText<T> | undefined {
    if (this.#users === 0) return undefined;
    this.#users += 1;
    const leave = () => {
      this.#leave();
    };
    const send = (...to: Parameters<JsonText<T>['sendTo']>) => this.#writeTo(...to).finally(leave);
    return new JsonText<T>(this.byteLength, send, leave);
  }

  async #writeTo(destination: Writable, beforePart?: () => Promise<void>): Promise<void> {
    if (!(await isTaken(Buffer.from(this.#ends.before), destination))) return;
    // One buffer for the whole text: garbage is collected so late that otherwise the whole text would be in memory.
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    for (let position = 0; position < this.#byteLength;) {
      await beforePart?.();
      const { bytesRead } = await this.#call((file) => file.read(buffer, 0, readBytes, position));
      if (bytesRead === 0) throw new TemporaryFileError(new Error('it was truncated'));
      if (!(await isTaken(buffer.subarray(0, bytesRead), destination))) return;
      position += bytesRead;
    }
    destination.end(this.#ends.after);
  }

  /** Drops the owner's reference, once; the owner must not lend the text afterwards. */
  release(): void {
    this.#leave();
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0) fileAccess.runEventually(() => this.#file.close());
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
