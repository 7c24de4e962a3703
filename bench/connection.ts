/**
 * A persistent connection that sends a request and waits for the whole response, with little overhead: the cost of a
 * client library per request would be a large part of the measurement.
 */
import { connect, type Socket } from 'node:net';

/** A request as bytes. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Buffer {
  const all = {
    Host: 'localhost',
    ...headers,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** A whole response, as far as it is of interest. */
export interface WholeResponse {
  readonly status: number;
  readonly bodyBytes: number;
}

const bufferBytes = 64 * 1024;
const endOfChunks = Buffer.from('0\r\n\r\n');

export class KeptConnection {
  readonly #socket: Socket;
  #onBytes: (chunk: Buffer) => void = () => undefined;
  #onEnd: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('error', (error) => {
      this.#onEnd(error);
    });
    socket.on('close', () => {
      this.#onEnd(new Error('the server closed the connection'));
    });
  }

  static open(port: number): Promise<KeptConnection> {
    return new Promise((resolve, reject) => {
      let connection: KeptConnection | undefined;
      // One buffer for all data: a new one for each part of a large response would cost more than reading it.
      const buffer = Buffer.allocUnsafeSlow(bufferBytes);
      const callback = (bytes: number) => {
        if (connection) connection.#onBytes(buffer.subarray(0, bytes));
        return true;
      };
      const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        connection = new KeptConnection(socket);
        resolve(connection);
      });
    });
  }

  /** Sends a request. @throws {Error} if the connection ends before the whole response has come */
  exchange(request: Buffer): Promise<WholeResponse> {
    return new Promise((resolve, reject) => {
      const reader = new ResponseReader();
      this.#onEnd = reject;
      this.#onBytes = (chunk) => {
        const response = reader.take(chunk);
        if (response) resolve(response);
      };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#onEnd = () => undefined;
    this.#socket.destroy();
  }
}

/** Finds the end of one response. Its body is JSON without line breaks, so the end of the chunks is unambiguous. */
class ResponseReader {
  #head = '';
  #status = 0;
  #bodyBytes = 0;
  /** Undefined if the body is chunked. */
  #length: number | undefined;
  #tail = Buffer.alloc(0);

  /** The response, once it is complete. */
  take(chunk: Buffer): WholeResponse | undefined {
    const body = this.#status === 0 ? this.#takeHead(chunk) : chunk;
    if (!body) return undefined;
    this.#bodyBytes += body.length;
    const hasEnded = this.#length === undefined ? this.#endsChunks(body) : this.#bodyBytes >= this.#length;
    return hasEnded ? { status: this.#status, bodyBytes: this.#bodyBytes } : undefined;
  }

  #takeHead(chunk: Buffer): Buffer | undefined {
    const before = this.#head.length;
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = this.#head.slice(0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#length = length === undefined ? undefined : Number(length);
    return chunk.subarray(end + 4 - before);
  }

  #endsChunks(body: Buffer): boolean {
    this.#tail = Buffer.concat([this.#tail, body.subarray(-endOfChunks.length)]).subarray(-endOfChunks.length);
    return this.#tail.equals(endOfChunks);
  }
}
