import type { Writable } from 'node:stream';

declare const value: unique symbol;

/** A `T` as JSON text, ready to be sent. Its receiver sends it once, or discards it. */
// oxlint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the text to the type of its value
export abstract class JsonText<T> {
  declare readonly [value]: T;

  /** Undefined while the text is still being written. */
  abstract readonly byteLength: number | undefined;

  /**
   * Writes the whole text to a destination, unless the destination closes early, and ends it. The memory of each part
   * is reused once the destination has called the callback of its write.
   * @param beforePart is awaited before each part of a text that is sent in parts
   * @throws {Error} if the text cannot be read
   */
  abstract sendTo(destination: Writable, beforePart?: () => Promise<void>): Promise<void> | undefined;

  abstract discard(): void;
}

/** Ends a destination with a text of this many bytes. ASCII text needs no encoding. */
export function endWithText(destination: Writable, text: string, byteLength: number): void {
  destination.end(text, text.length === byteLength ? 'latin1' : 'utf8');
}

/**
 * A short text is sent as a string, together with the head of its response; a long one is copied less often as bytes.
 */
const maxBytesOfString = 16 * 1024;

/** JSON text in memory, which can be sent any number of times. */
export class JsonInMemory<T> extends JsonText<T> {
  readonly byteLength: number;
  readonly #content: string | Buffer;

  constructor(text: string) {
    super();
    this.byteLength = Buffer.byteLength(text);
    this.#content = this.byteLength > maxBytesOfString ? Buffer.from(text) : text;
  }

  sendTo(destination: Writable): undefined {
    if (typeof this.#content === 'string') endWithText(destination, this.#content, this.byteLength);
    else destination.end(this.#content);
  }

  discard(): void {
    // Only memory is in use.
  }
}
