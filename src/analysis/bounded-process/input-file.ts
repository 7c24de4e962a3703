import { fstatSync, readFileSync, readSync } from 'node:fs';

/** The input file of a job. The job's process inherits it open, and can open no other. */
export class InputFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  read(): Buffer<ArrayBuffer> {
    return readFileSync(this.#descriptor);
  }

  /** The first bytes, or the whole content if it has fewer. */
  readBeginning(bytes: number): Buffer<ArrayBuffer> {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(this.#descriptor, buffer, 0, bytes, 0));
  }
}
