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

export type TemporaryJson<T> = Awaited<ReturnType<typeof writeTemporaryJson<T>>>;

/**
 * Writes a large JSON text: `write` appends its middle, and returns what is before and after it. The middle is in an
 * unlinked file, which the operating system deletes when it is closed or the process ends. Any number of clients can read
 * it concurrently, at their own pace. The file is reference-counted: its owner, the caller, each lent text and each call
 * on the file hold a reference until they are done.
 * @throws {TemporaryFileError} if it cannot be written
 */
export async function writeTemporaryJson<T>(
  folder: string,
  write: (append: (part: string) => Promise<void>) => Promise<{ before: string; after: string }>,
) {
  const file = await openUnnamed(folder);
  let users = 1;
  let middleBytes = 0;
  const leave = () => {
    users -= 1;
    if (users === 0) fileAccess.runEventually(() => file.close());
  };
  /** An abandoned call still uses the file: if the file were closed, another one could get its descriptor. */
  const call = <R>(work: () => Promise<R>): Promise<R> =>
    access(() => {
      users += 1;
      return work().finally(leave);
    });
  const append = async (part: string) => {
    const bytes = Buffer.from(part);
    await call(() => file.writeFile(bytes));
    middleBytes += bytes.length;
  };
  const { before, after } = await write(append).catch((error: unknown) => {
    leave();
    throw error;
  });
  const byteLength = middleBytes + Buffer.byteLength(before) + Buffer.byteLength(after);

  const send = async (destination: Writable, beforePart?: () => Promise<void>): Promise<void> => {
    if (!(await isTaken(Buffer.from(before), destination))) return;
    // One buffer for the whole text: garbage is collected so late that otherwise the whole text would be in memory.
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    for (let position = 0; position < middleBytes;) {
      await beforePart?.();
      const from = position;
      const { bytesRead } = await call(() => file.read(buffer, 0, readBytes, from));
      if (bytesRead === 0) throw new TemporaryFileError(new Error('it was truncated'));
      if (!(await isTaken(buffer.subarray(0, bytesRead), destination))) return;
      position += bytesRead;
    }
    destination.end(after);
  };

  return {
    byteLength,
    /** The text, to be sent once; undefined if the file is already released. */
    lend: (): JsonText<T> | undefined => {
      if (users === 0) return undefined;
      users += 1;
      return new JsonText<T>(byteLength, (...to) => send(...to).finally(leave), leave);
    },
    /** Drops the owner's reference, once; the owner must not lend the text afterwards. */
    release: leave,
  };
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
