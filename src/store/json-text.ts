import type { Writable } from 'node:stream';

declare const value: unique symbol;

/** A `T` as JSON text, ready to be sent. Whoever is given one sends it once, or discards it. */
// oxlint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the text to the type of its value
export abstract class JsonText<T> {
  declare readonly [value]: T;

  /** Undefined if it is still being written. */
  abstract readonly byteLength: number | undefined;

  /**
   * Writes all of it to a destination, unless that closes before, and ends it. When the destination has taken a part, as
   * its callback is called, the memory of the part is used again.
   * @param beforePart is awaited before each part of a text that is sent in parts
   * @throws {Error} if it cannot be read
   */
  abstract sendTo(destination: Writable, beforePart?: () => Promise<void>): Promise<void> | undefined;

  abstract discard(): void;
}

/** Ends a destination with a text of so many bytes. One that is ASCII need not be encoded. */
export function endWithText(destination: Writable, text: string, byteLength: number): void {
  destination.end(text, text.length === byteLength ? 'latin1' : 'utf8');
}

/** A short text goes out as a string, together with the head of its response; a long one is copied less as bytes. */
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
    // Memory is all that it holds.
  }
}
