import type { Writable } from 'node:stream';

declare const value: unique symbol;

/** A `T` as JSON text, ready to be sent. Whoever is given one sends it once, or discards it. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the text to the type of its value
export abstract class JsonText<T> {
  declare readonly [value]: T;

  abstract readonly byteLength: number;

  /**
   * Writes all of it to a destination, unless that closes before, and ends it. When the destination has taken a part, as
   * its callback tells, the memory of the part is used again.
   * @throws {Error} if it cannot be read
   */
  abstract sendTo(destination: Writable): Promise<void> | undefined;

  abstract discard(): void;
}

/** JSON text in memory. */
export class JsonBuffer<T> extends JsonText<T> {
  readonly #content: Buffer;

  constructor(content: Buffer) {
    super();
    this.#content = content;
  }

  get byteLength(): number {
    return this.#content.length;
  }

  sendTo(destination: Writable): undefined {
    destination.end(this.#content);
  }

  discard(): void {
    // Memory is all that it holds.
  }
}
