import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const decoders: Record<string, ((bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>) | undefined> =
  {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
  };

/** A copy of the bytes that pass by, kept as long as they are no more than a bound. */
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

  /** How many bytes have passed by. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All bytes that have passed by; undefined if they were too many to keep. */
  get whole(): Buffer | undefined {
    return this.#bytes <= this.#largestBytes ? Buffer.concat(this.#chunks) : undefined;
  }

  /**
   * The text that the bytes are in some content codings.
   * @throws {Error} that says why they cannot be decoded
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
