/**
 * Requests whose bytes are written one by one: framings and connections that no HTTP client offers. The same request must get
 * the same response however it arrives (RFC 9112).
 */
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { HTTPParser } from 'http-parser-js';

/** How the bytes of a request travel. What is absent is as usual: HTTP/1.1, one write, Content-Length, a kept connection. */
export interface Wire {
  readonly version?: '1.0';
  /** Sends the body in chunks of this many bytes, each with the extension, followed by the trailer. */
  readonly chunked?: { readonly bytes: number; readonly extension?: string; readonly trailer?: string };
  readonly writes?: 'in small pieces' | 'head before body' | 'split in the head';
  /** `behind another`: in one write with a request before it, whose response is read first. */
  readonly connection?: 'new' | 'closing' | 'behind another';
  /** Waits for `100 Continue` before the body. */
  readonly expectContinue?: boolean;
}

/** What is sent below the headers. */
interface WireRequest {
  readonly method: string;
  readonly body?: string | Buffer;
  readonly wire: Wire;
}

/** A response as it came, before its body is decoded. */
export interface WireResponse {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

interface WireOptions {
  readonly timeoutSeconds: number;
  readonly tls: tls.ConnectionOptions;
}

/** An idle connection that is not used again after this time might be closed by the target at any moment. */
const keptMilliseconds = 4000;

const smallPieces = 12;

/** As curl waits. */
const continueMilliseconds = 1000;

/** The request that is sent before another on the same connection. */
const before = 'GET /no-such-path-9f3b HTTP/1.1\r\n';

/** No whole response has come in time. */
export class WireTimeoutError extends Error {
  override readonly name = 'WireTimeoutError';
}

/** Sends requests over connections of its own. */
export class WireClient {
  readonly #options: WireOptions;
  readonly #idle = new Map<string, { socket: net.Socket; since: number }[]>();

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /**
   * @param headers all of them, with Host
   * @param from the local address
   * @throws {Error} if no whole response comes in time
   */
  async send(
    url: URL,
    target: string,
    { method, body: content = '', wire }: WireRequest,
    headers: readonly (readonly [string, string])[],
    from?: string,
  ): Promise<WireResponse> {
    const head = Buffer.from(
      `${method} ${target} HTTP/${wire.version ?? '1.1'}\r\n${headers.map((field) => field.join(': ')).join('\r\n')}\r\n\r\n`,
      'latin1',
    );
    const host = headers.find(([name]) => /^host$/i.test(name))?.[1] ?? url.host;
    const first = Buffer.from(wire.connection === 'behind another' ? `${before}Host: ${host}\r\n\r\n` : '');
    const parts = partsOf(Buffer.concat([first, head]), framed(Buffer.from(content), wire), wire);
    const methods = first.length === 0 ? [method] : ['GET', method];
    // A target that closes the connection as asked need not say so.
    const mayKeep = wire.connection !== 'closing' && wire.version === undefined;
    const key = `${url.host} ${from ?? ''}`;
    const alone = { method, body: content, wire: { ...wire, connection: 'new' as const } };

    const exchange = async (socket: net.Socket, isUsedAgain: boolean): Promise<WireResponse | undefined> => {
      const reader = new ResponseReader(socket, methods, this.#options.timeoutSeconds);
      try {
        await write(socket, parts, wire, reader);
        const response = await reader.last();
        if (mayKeep && reader.keepsConnection) this.#keep(key, socket);
        else socket.destroy();
        return response;
      } catch (error) {
        socket.destroy();
        if (isUsedAgain && reader.isClosedUnread) return undefined;
        // Nor is it one if it says with the response before that it closes the connection.
        if (reader.isClosedBetween) return this.send(url, target, alone, headers, from);
        throw error;
      }
    };
    const kept = wire.connection === 'new' ? undefined : this.#takeKept(key);
    // A target that closes each connection may process what is sent behind another request, and not respond to it.
    if (!kept && wire.connection === 'behind another') return this.send(url, target, alone, headers, from);
    // The target may close an idle connection just when it is used again: that is no fault.
    const response = kept && (await exchange(kept, true));
    return response ?? ((await exchange(await this.#connect(url, from), false)) as WireResponse);
  }

  close(): void {
    for (const { socket } of [...this.#idle.values()].flat()) socket.destroy();
    this.#idle.clear();
  }

  #takeKept(key: string): net.Socket | undefined {
    const idle = this.#idle.get(key) ?? [];
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (!found.socket.destroyed && Date.now() - found.since < keptMilliseconds) return found.socket;
      found.socket.destroy();
    }
    return undefined;
  }

  #keep(key: string, socket: net.Socket): void {
    const idle = this.#idle.get(key) ?? [];
    idle.push({ socket, since: Date.now() });
    this.#idle.set(key, idle);
  }

  async #connect({ hostname, port, protocol }: URL, from?: string): Promise<net.Socket> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const secure = protocol === 'https:';
    const options = {
      host,
      port: Number(port) || (secure ? 443 : 80),
      ...(from !== undefined && { localAddress: from, family: 4 }),
    };
    const socket = secure
      ? tls.connect({ ...options, ...this.#options.tls, servername: net.isIP(host) ? '' : host })
      : net.connect(options);
    socket.setNoDelay(true);
    // Between two requests nobody else listens, and the target may reset a connection at any time.
    socket.on('error', () => socket.destroy());
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  }
}

function framed(body: Buffer, { chunked }: Wire): Buffer {
  if (!chunked) return body;
  const { bytes, extension = '', trailer = '' } = chunked;
  const chunks = Array.from({ length: Math.ceil(body.length / bytes) }, (_none, index) =>
    body.subarray(index * bytes, (index + 1) * bytes),
  );
  const framedChunks = chunks.flatMap((chunk) => [`${chunk.length.toString(16)}${extension}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...framedChunks, `0\r\n${trailer}\r\n`].map((part) => Buffer.from(part)));
}

/** The pieces that are written one by one. */
function partsOf(head: Buffer, body: Buffer, { writes, expectContinue }: Wire): Buffer[] {
  if (expectContinue === true || writes === 'head before body') return [head, body];
  const whole = Buffer.concat([head, body]);
  const at = writes === 'split in the head' ? Math.floor(head.length / 2) : whole.length;
  const size = writes === 'in small pieces' ? Math.ceil(whole.length / smallPieces) : at;
  const rest = whole.subarray(size);
  if (writes !== 'in small pieces') return [whole.subarray(0, size), rest];
  return Array.from({ length: smallPieces }, (_none, index) => whole.subarray(index * size, (index + 1) * size));
}

async function write(socket: net.Socket, parts: readonly Buffer[], wire: Wire, reader: ResponseReader): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && wire.expectContinue === true) {
      await reader.continued();
      // A final response without `100 Continue`: the body is not wanted.
      if (reader.isComplete) {
        reader.keepsConnection = false;
        return;
      }
    }
    if (part.length > 0) socket.write(part);
    if (index < parts.length - 1) await new Promise(setImmediate);
  }
}

/** Reads the responses to some requests from a connection. */
class ResponseReader {
  keepsConnection = true;
  isComplete = false;
  /** Whether the target has closed the connection before any byte of a response. */
  isClosedUnread = false;
  /** Whether it has closed the connection after a response that announced that. */
  isClosedBetween = false;
  readonly #responses: WireResponse[] = [];
  readonly #events = new EventEmitter();
  #failure: Error | undefined;

  constructor(socket: net.Socket, methods: readonly string[], timeoutSeconds: number) {
    const parser = new HTTPParser('RESPONSE');
    let fields: [string, string][] = [];
    let status = 0;
    let chunks: Buffer[] = [];
    parser[HTTPParser.kOnHeadersComplete] = (info) => {
      const { headers } = info;
      fields = headers.flatMap((name, index): [string, string][] =>
        index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [],
      );
      status = info.statusCode;
      chunks = [];
      if (status >= 200) this.keepsConnection = info.shouldKeepAlive && !this.isComplete;
      return methods[this.#responses.length] === 'HEAD' ? 1 : 0;
    };
    parser[HTTPParser.kOnBody] = (chunk: Buffer, offset: number, length: number) => {
      chunks.push(Buffer.from(chunk.subarray(offset, offset + length)));
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      if (this.isComplete) return;
      if (status >= 200) this.#responses.push({ status, fields, body: Buffer.concat(chunks) });
      this.#events.emit('progress');
      if (this.#responses.length === methods.length) finish();
    };
    let isUnread = true;
    const fail = (message: string, failure = new Error(message)) => {
      if (!this.isComplete) this.#failure = failure;
      this.keepsConnection = false;
      finish();
    };
    const onClose = (message: string) => {
      if (this.isComplete) return;
      this.isClosedUnread = isUnread;
      this.isClosedBetween = this.#responses.length > 0 && !this.keepsConnection;
      fail(message);
    };
    const onData = (data: Buffer) => {
      isUnread = false;
      const parsed = parser.execute(data);
      // What follows the last response makes the connection unusable, no more.
      if (parsed instanceof Error) fail(`the response is not HTTP: ${parsed.message}`);
      else if (this.isComplete && parsed < data.length) this.keepsConnection = false;
    };
    const onEnd = () => {
      parser.finish();
      onClose('the target closed the connection before the response was complete');
    };
    const onError = (error: Error) => {
      onClose(error.message);
    };
    const timer = setTimeout(() => {
      const message = `no whole response within ${timeoutSeconds} s`;
      fail(message, new WireTimeoutError(message));
    }, timeoutSeconds * 1000);
    const finish = () => {
      this.isComplete = true;
      clearTimeout(timer);
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onEnd);
      this.#events.emit('progress');
    };
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onEnd);
  }

  /** Resolves when `100 Continue` or the response has come, or after a time in which a target that knows it would have sent it. */
  async continued(): Promise<void> {
    if (this.isComplete) return;
    await once(this.#events, 'progress', { signal: AbortSignal.timeout(continueMilliseconds) }).catch(() => undefined);
  }

  /** The response to the last request. */
  async last(): Promise<WireResponse> {
    while (!this.isComplete) await once(this.#events, 'progress');
    const response = this.#responses.at(-1);
    if (this.#failure) throw this.#failure;
    if (!response) throw new Error('no response came');
    return response;
  }
}
