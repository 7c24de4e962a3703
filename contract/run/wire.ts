/**
 * The bytes of requests and responses (RFC 9112). Requests are framed in ways that no HTTP client offers, because the same
 * request must get the same response however it arrives; responses are read as strictly as Node.js reads them.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Field = readonly [name: string, value: string];

/** How the bytes of a request travel. What is absent is as usual: HTTP/1.1, one write, Content-Length, a kept connection. */
export interface Wire {
  readonly version?: '1.0';
  /** Sends the body in chunks of this many bytes, and says so by this coding. */
  readonly chunked?: {
    readonly bytes: number;
    /** Stands before each size, which then is in capitals. */
    readonly zeros?: string;
    /** Stands after each size. */
    readonly extension?: string;
    readonly trailer?: string;
    readonly coding?: string;
  };
  readonly writes?: 'in small pieces' | 'head before body' | 'body late' | 'body much later' | 'first byte alone';
  /** What follows the first write is written once this has ended. */
  readonly restAfter?: Promise<unknown>;
  /** `upgradable`: offers HTTP/2, without the settings that a target would need to accept it. */
  readonly connection?: 'new' | 'closing' | 'upgradable' | 'kept alive' | 'naming a header';
  /** Sends it in one write with these requests before it, whose responses are read first. */
  readonly behind?: readonly PlainRequest[];
  /** Sends these bytes in place of a body that is framed. */
  readonly followedBy?: string;
  /** Sends an empty line before it (RFC 9112, section 2.2). */
  readonly emptyLine?: boolean;
  /** Names the whole address in the request line (RFC 9112, section 3.2.2). */
  readonly absolute?: true | 'https';
  /** Sends it on another connection first and closes that before the end of the request, or of the response; or begins this request. */
  readonly afterBroken?: 'request' | 'response' | PlainRequest;
  /** Waits for `100 Continue` before the body, which it expects in this spelling. */
  readonly expectContinue?: '100-continue' | '100-Continue';
}

/** A request. Headers are a list, because some checks send one twice. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query. Which base address it belongs to follows from the document. */
  readonly path: string;
  readonly headers?: readonly Field[];
  readonly body?: string | Buffer;
}

const connectionFields: Readonly<Record<string, readonly Field[]>> = {
  closing: [['Connection', 'close']],
  'kept alive': [['Connection', 'keep-alive']],
  'naming a header': [
    ['TE', 'trailers'],
    ['Connection', 'keep-alive, TE'],
  ],
  upgradable: [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'h2c'],
  ],
};

/** The headers that say how a request travels. */
export function wireFields({ chunked, connection, expectContinue }: Wire): Field[] {
  return [
    ...(chunked ? [['Transfer-Encoding', chunked.coding ?? 'chunked'] as const] : []),
    ...(connectionFields[connection ?? ''] ?? []),
    ...(expectContinue ? [['Expect', expectContinue] as const] : []),
  ];
}

export function framed(body: Buffer, { chunked }: Wire): Buffer {
  if (!chunked) return body;
  const { bytes, zeros = '', extension = '', trailer = '' } = chunked;
  const chunks = Array.from({ length: Math.ceil(body.length / bytes) }, (_none, index) =>
    body.subarray(index * bytes, (index + 1) * bytes),
  );
  const sizeOf = ({ length }: Buffer) =>
    zeros === '' ? length.toString(16) : zeros + length.toString(16).toUpperCase();
  const parts = chunks.flatMap((chunk) => [`${sizeOf(chunk)}${extension}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...parts, `0\r\n${trailer}\r\n`].map((part) => Buffer.from(part)));
}

const smallPieces = 6;

/** How long a late body takes. */
const lateMilliseconds: Readonly<Record<string, number>> = { 'body late': 40, 'body much later': 1500 };

/** As curl waits. */
const continueMilliseconds = 1000;

/**
 * Writes a request. @param continued resolves with the status of the first response, also of an interim one
 * @returns whether all of it was sent: the body is not, if a final response comes instead of `100 Continue`
 */
export async function write(
  socket: Socket,
  head: Buffer,
  body: Buffer,
  { writes, restAfter, expectContinue }: Wire,
  continued: Promise<number>,
): Promise<boolean> {
  if (expectContinue) {
    socket.write(head);
    const status = await Promise.race([continued, sleep(continueMilliseconds, 100, { ref: false })]);
    if (status < 200) socket.write(body);
    return status < 200;
  }
  const whole = Buffer.concat([head, body]);
  const sizes: Record<string, number> = {
    whole: whole.length,
    'in small pieces': Math.ceil(whole.length / smallPieces),
    'first byte alone': 1,
  };
  const [size = head.length, late] = [sizes[writes ?? 'whole'], lateMilliseconds[writes ?? '']];
  for (let at = 0; at < whole.length;) {
    if (at > 0) await (restAfter ?? (late === undefined ? new Promise(setImmediate) : sleep(late)));
    const end = at === 0 || writes === 'in small pieces' ? at + size : whole.length;
    socket.write(whole.subarray(at, end));
    at = end;
  }
  return true;
}

/** A response as it came, before its body is decoded. */
export interface WireResponse {
  readonly status: number;
  readonly fields: readonly Field[];
  readonly body: Buffer;
  /** Whether it has no body, whatever its head says. */
  readonly isHeadAlone: boolean;
  /** Whether the target keeps the connection. */
  readonly keeps: boolean;
}

/** The connection was closed while more bytes of a response were awaited. */
export class ClosedError extends Error {}

/** What has come on a connection is no HTTP response. */
export class NotHttpError extends Error {}

/** The bytes that come on a connection, also while nobody reads. */
export class IncomingBytes {
  received = 0;
  #chunks: Buffer[] = [];
  #length = 0;
  #end: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.received += chunk.length;
      this.#wake();
    });
    // The first reason counts.
    const end = (reason?: unknown) => {
      this.#end ??= reason instanceof Error ? reason : new ClosedError('the target closed the connection');
      this.#wake();
    };
    for (const event of ['error', 'end', 'close']) socket.on(event, end);
  }

  /** The next line, without its end. */
  async line(longest: number): Promise<string> {
    for (;;) {
      const bytes = this.peek();
      const at = bytes.indexOf('\n');
      if (at > longest || (at < 0 && bytes.length > longest))
        throw new NotHttpError('the head of the response is too large');
      if (at >= 0) {
        const line = (await this.take(at + 1)).toString('latin1');
        if (!line.endsWith('\r\n')) throw new NotHttpError('a line ends without CR');
        return line.slice(0, -2);
      }
      await this.#more();
    }
  }

  async take(length: number): Promise<Buffer> {
    while (this.#length < length) await this.#more();
    const bytes = this.peek();
    this.#chunks = [bytes.subarray(length)];
    this.#length -= length;
    return bytes.subarray(0, length);
  }

  /** All that comes until the connection is closed, or until it is more than `most` bytes. */
  async toEnd(most: number): Promise<Buffer> {
    while (this.#length <= most && !this.#end) await this.#more();
    if (this.#end && !(this.#end instanceof ClosedError)) throw this.#end;
    return this.take(this.#length);
  }

  /** What has come and is not read yet. */
  peek(): Buffer {
    const bytes = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }

  async #more(): Promise<void> {
    if (this.#end) throw this.#end;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

const largest = { head: 80 * 1024, body: 64 * 1024 * 1024 };

/** Reads the response to a request. @param onHead called with the status of each response, also interim ones */
export async function readResponse(
  incoming: IncomingBytes,
  method: string,
  onHead: (status: number) => void = () => undefined,
): Promise<WireResponse> {
  for (;;) {
    const [, minor, digits] = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/.exec(await incoming.line(largest.head)) ?? [];
    if (digits === undefined) throw new NotHttpError('the response is not HTTP');
    const status = Number(digits);
    const fields = await readFields(incoming);
    const valuesOf = (header: string) =>
      fields.filter(([name]) => name.toLowerCase() === header).map(([, value]) => value.toLowerCase());
    if (status === 101) throw new NotHttpError('the target switches to another protocol');
    onHead(status);
    if (status < 200) continue;
    const [length, ...otherLengths] = new Set(valuesOf('content-length'));
    const coding = valuesOf('transfer-encoding').join();
    if (otherLengths.length > 0 || !/^\d*$/.test(length ?? '') || (length !== undefined && coding !== ''))
      throw new NotHttpError('the length of its body is ambiguous');
    const connection = valuesOf('connection').join();
    const keeps = minor === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    const isHeadAlone = method.toUpperCase() === 'HEAD' || status === 204 || status === 304;
    const isChunked = /(^|[ \t,])chunked$/.test(coding);
    const isBounded = isHeadAlone || isChunked || length !== undefined;
    const bytes = isHeadAlone ? 0 : Math.min(Number(length), largest.body + 1);
    const body = await (isChunked && !isHeadAlone
      ? readChunks(incoming)
      : isBounded
        ? incoming.take(bytes)
        : incoming.toEnd(largest.body));
    requireSize(body.length);
    return { status, fields, body, isHeadAlone, keeps: keeps && isBounded };
  }
}

async function readFields(incoming: IncomingBytes): Promise<Field[]> {
  const fields: Field[] = [];
  for (let room = largest.head; ;) {
    const line = await incoming.line(room);
    if (line === '') return fields;
    room -= line.length;
    const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) throw new NotHttpError('a header line is malformed');
    fields.push([name, value]);
  }
}

async function readChunks(incoming: IncomingBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ;) {
    const [, size] = /^([\da-f]{1,8})[ \t]*(;.*)?$/i.exec(await incoming.line(largest.head)) ?? [];
    if (size === undefined) throw new NotHttpError('the size of a chunk is malformed');
    const length = parseInt(size, 16);
    if (length === 0) {
      await readFields(incoming);
      return Buffer.concat(chunks);
    }
    bytes += length;
    requireSize(bytes);
    chunks.push(await incoming.take(length));
    if ((await incoming.line(largest.head)) !== '') throw new NotHttpError('a chunk is longer than its size');
  }
}

function requireSize(bytes: number): void {
  if (bytes > largest.body) throw new Error('it is larger than 64 MiB');
}
