/**
 * The connection to Redis, as ioredis gets it: it sees whole replies, one for each command, in the forms that the commands
 * of this program have. Any other reply ends the connection. Without this, ioredis 6 ends the process at a null that it did
 * not ask for (`DataHandler`), and reads `:1.5` as the number 85.
 */
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';

/** The maximum length of a reply: thirty times that of the longest, `info server`. */
const longestReply = 64 * 1024;

/** Connects with the host, port and TLS settings of ioredis. */
export class CheckingConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(options: unknown) {
    super((options as RedisOptions & { disconnectTimeout: number }).disconnectTimeout);
    this.#options = options as RedisOptions;
  }

  override connect(): Promise<Socket> {
    const { host = '', port = 0, tls } = this.#options;
    const socket = tls ? connectTls({ host, port, ...tls }) : connect({ host, port });
    // ioredis uses no more of a socket than this stream has.
    this.stream = new CheckedSocket(socket) as unknown as Socket;
    return Promise.resolve(this.stream);
  }
}

class CheckedSocket extends Duplex {
  readonly #socket: Socket;
  #pending: Buffer = Buffer.alloc(0);
  #pendingCommands = 0;

  constructor(socket: Socket) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    for (const event of ['connect', 'secureConnect']) socket.once(event, () => this.emit(event));
    socket.on('data', (bytes) => {
      this.#receive(bytes);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get connecting(): boolean {
    return this.#socket.connecting;
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): void {
    this.#socket.setTimeout(milliseconds, onTimeout);
  }

  setKeepAlive(enable: boolean, initialDelay: number): void {
    this.#socket.setKeepAlive(enable, initialDelay);
  }

  setNoDelay(noDelay: boolean): void {
    this.#socket.setNoDelay(noDelay);
  }

  override _read(): void {
    this.#socket.resume();
  }

  /** Called once for each command. */
  override _write(command: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#pendingCommands += 1;
    this.#socket.write(command, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(bytes: Buffer): void {
    const received = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    let end = 0;
    let fault: Error | undefined;
    try {
      for (let next = endOfReply(received, end); next !== undefined; next = endOfReply(received, end)) {
        if (this.#pendingCommands === 0) throw unasked(received.toString('utf8', end, next));
        this.#pendingCommands -= 1;
        end = next;
      }
      if (received.length - end > longestReply) throw new Error(`Redis sent a reply of over ${longestReply} bytes`);
    } catch (error) {
      fault = error as Error;
    }
    this.#pending = received.subarray(end);
    if (end > 0 && !this.push(received.subarray(0, end))) this.#socket.pause();
    if (fault) this.destroy(fault);
  }
}

/** Where the reply that starts here ends; undefined if it has not arrived completely. @throws if it has another form */
function endOfReply(bytes: Buffer, start: number): number | undefined {
  const line = lineAt(bytes, start, '+-:$*');
  if (line === undefined || /^([+-]|:\d{1,15}$)/.test(line.text)) return line?.end;
  const length = /^\$(\d{1,5})$/.exec(line.text)?.[1];
  if (length !== undefined) {
    const end = line.end + Number(length) + 2;
    return end <= bytes.length ? end : undefined;
  }
  if (line.text !== '*2') throw unexpected(line.text);
  // A count, and the milliseconds that its window lasts.
  const middle = endOfWholeNumber(bytes, line.end);
  return middle === undefined ? undefined : endOfWholeNumber(bytes, middle);
}

/** Neither signed, nor rounded by a conversion to a JavaScript number. */
function endOfWholeNumber(bytes: Buffer, start: number): number | undefined {
  const line = lineAt(bytes, start, ':');
  if (line !== undefined && !/^:\d{1,15}$/.test(line.text)) throw unexpected(line.text);
  return line?.end;
}

/** A complete line of one of these types; the type is checked at once, because ioredis does not wait for the line either. */
function lineAt(bytes: Buffer, start: number, types: string): { text: string; end: number } | undefined {
  if (start >= bytes.length) return undefined;
  const type = String.fromCharCode(bytes[start] ?? 0);
  if (!types.includes(type)) throw unexpected(type);
  const end = bytes.indexOf('\r\n', start, 'latin1');
  return end < 0 ? undefined : { text: bytes.toString('latin1', start, end), end: end + 2 };
}

/** Tells the type alone: the rest may repeat a secret. */
function unexpected([type = '']: string): Error {
  return new Error(`Redis sent an unexpected value of RESP type ${JSON.stringify(type)}`);
}

/** Redis says in this way, for example, that it has too many clients. */
function unasked(reply: string): Error {
  return reply.startsWith('-')
    ? new Error(reply.slice(1).trimEnd())
    : new Error('Redis sent a reply without a command');
}
