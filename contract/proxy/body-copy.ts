import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const decoders: Record<string, ((bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>) | undefined> =
  {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
  };

/** Keeps a copy of the bytes that pass, up to a maximum size. */
export class BodyCopy {
  readonly #largestBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(largestBytes: number) {
    this.#largestBytes = largestBytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#largestBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** The number of bytes that have passed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All bytes that have passed; undefined if they exceed the maximum. */
  get whole(): Buffer | undefined {
    return this.#bytes <= this.#largestBytes ? Buffer.concat(this.#chunks) : undefined;
  }

  /**
   * Decodes the bytes by their content codings.
   * @throws {Error} with the reason if they cannot be decoded
   */
  async decode(contentEncoding = 'identity'): Promise<string> {
    if (!this.whole) throw new Error(`it is larger than ${this.#largestBytes} bytes`);
    let bytes = this.whole;
    if (bytes.length === 0) return '';
    for (const coding of contentEncoding.toLowerCase().split(/ *, */).reverse()) {
      if (coding === 'identity') continue;
      const decoder = decoders[coding];
      if (!decoder) throw new Error(`its content coding ${coding} is unknown`);
      bytes = await decoder(bytes, { maxOutputLength: this.#largestBytes }).catch((error: unknown) => {
        throw new Error(`it cannot be decoded: ${(error as Error).message}`);
      });
    }
    return bytes.toString();
  }
}
