/**
 * JSON text that is too large for memory: a file without a name, which is gone when nobody uses it any more, also when
 * the process is killed. Any number of clients can read it at once, each as slowly as it likes.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileAccess } from '../files/file-access.ts';
import { JsonText } from './json-text.ts';
import { StoreUnavailableError } from './errors.ts';

const readBytes = 64 * 1024;

/** A large text cannot be kept or read for now, because of the disk. */
export class TemporaryFileError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(`The temporary file of a large case cannot be used: ${(cause as Error).message}`, { cause });
  }
}

/**
 * JSON text in a temporary file. It is used by whoever wrote it, by each text that it was lent as, and by each call on the
 * file, until they are done.
 */
export class TemporaryJson<T> {
  readonly #file: FileHandle;
  #byteLength = 0;
  #users = 1;

  /** Writes a text into a folder, which is made if there is none. @throws {TemporaryFileError} if that cannot be done */
  static async write<T>(folder: string, text: AsyncIterable<string | Buffer>): Promise<TemporaryJson<T>> {
    const json = new TemporaryJson<T>(await openUnnamed(folder));
    try {
      for await (const part of text) await json.#append(part);
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
    return this.#byteLength;
  }

  async #append(part: string | Buffer): Promise<void> {
    const length = Buffer.byteLength(part);
    await this.#call(async (file) => {
      const { bytesWritten } = typeof part === 'string' ? await file.write(part) : await file.write(part);
      if (bytesWritten < length) await file.writeFile(Buffer.from(part).subarray(bytesWritten));
    });
    this.#byteLength += length;
  }

  /** Reads a part; gives how many bytes of the buffer hold it. @throws {TemporaryFileError} if it cannot be read */
  async read(buffer: Buffer, position: number): Promise<number> {
    const { bytesRead } = await this.#call((file) => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) throw new TemporaryFileError(new Error('it has become shorter'));
    return bytesRead;
  }

  /** A call that nobody waits for any more uses the file too: were it closed, another file could get its descriptor. */
  #call<R>(call: (file: FileHandle) => Promise<R>): Promise<R> {
    return orTemporaryFileError(
      fileAccess.run(() => {
        this.#users += 1;
        return call(this.#file).finally(() => {
          this.release();
        });
      }),
    );
  }

  /** The text to send, once; undefined if nobody used it any more, so that it is gone. */
  lend(): JsonText<T> | undefined {
    if (this.#users === 0) return undefined;
    this.#users += 1;
    return new LentJson<T>(this);
  }

  /** To be called by its writer, when it will lend it no more. */
  release(): void {
    this.#users -= 1;
    if (this.#users === 0) fileAccess.runEventually(() => this.#file.close());
  }
}

class LentJson<T> extends JsonText<T> {
  readonly byteLength: number;
  readonly #json: TemporaryJson<T>;

  constructor(json: TemporaryJson<T>) {
    super();
    this.byteLength = json.byteLength;
    this.#json = json;
  }

  async sendTo(destination: Writable): Promise<void> {
    // One for the whole text: what is thrown away is collected so late that each large text would be in memory once.
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    try {
      for (let position = 0; position < this.byteLength;) {
        const bytesRead = await this.#json.read(buffer, position);
        if (!(await isTaken(buffer.subarray(0, bytesRead), destination))) return;
        position += bytesRead;
      }
      destination.end();
    } finally {
      this.#json.release();
    }
  }

  discard(): void {
    this.#json.release();
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
