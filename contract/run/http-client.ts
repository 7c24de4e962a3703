import { EventEmitter, once } from 'node:events';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { NoResponseError } from './errors.ts';
import type { Connection, HttpResponse, RequestSpec } from './model.ts';
import { ClosedError, framed, IncomingBytes, NotHttpError, readResponse, wireFields, write } from './wire.ts';
import type { WireResponse } from './wire.ts';

/** After so many requests in a row without a response it is asked whether the target responds at all. */
const mostWithoutResponse = 3;

/** One of so many operations will respond, if the target does. */
const mostAsked = 8;

/** So many requests are in flight at once to one address, from one address. */
const mostInFlight = 64;

/** How many times a request in pieces is sent if the target resets the connection meanwhile. */
const mostTimesInPieces = 3;

const tooLong = 'has more bytes than its head announces';

/** A connection, with the last request that got a response on it. */
interface Kept {
  readonly socket: Socket;
  readonly incoming: IncomingBytes;
  readonly last?: string;
}

/** The connections to one address, from one address. */
interface Pool {
  readonly idle: Kept[];
  inFlight: number;
  readonly places: EventEmitter;
}

/** A request that is sent, until its time is over. */
interface Sending {
  readonly url: string;
  readonly request: RequestSpec;
  /** Headers that are added to each request. */
  readonly added: Connection['headers'];
  readonly from: string | undefined;
  readonly trusted: tls.ConnectionOptions;
  readonly signal: AbortSignal;
  /** Whether the head of its response has come. */
  begun: boolean;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

/**
 * Sends requests over connections that are kept for the next, and reads each whole response within a time.
 * @param watch its URLs are asked for when no response comes any more; if one list has none either, `onGone` is called
 * @throws {NoResponseError} from `send`, if no whole response comes
 */
export function createHttpClient(
  timeoutSeconds: number,
  watch?: { urls: readonly (readonly string[])[]; onGone: () => void },
  connection?: Connection,
) {
  const added = connection?.headers ?? [];
  const trusted = { rejectUnauthorized: connection?.insecure !== true, ca: connection?.ca?.pem };
  const pools = new Map<string, Pool>();
  let withoutResponse = 0;

  return {
    /** @param from an IPv4 address of this machine, if one is chosen */
    async send(url: string, request: RequestSpec, from?: string): Promise<HttpResponse> {
      try {
        const response = await send(url, request, from);
        withoutResponse = 0;
        return response;
      } catch (error) {
        if (error instanceof NoResponseError && (withoutResponse += 1) >= mostWithoutResponse) {
          withoutResponse = 0;
          const anyResponse = (urls: readonly string[]) =>
            Promise.any(urls.slice(0, mostAsked).map((each) => send(each, { method: 'GET', path: '' })));
          await Promise.all((watch?.urls ?? []).map(anyResponse)).catch(() => watch?.onGone());
        }
        throw error;
      }
    },
    close(): void {
      for (const { idle } of pools.values()) for (const { socket } of idle.splice(0)) socket.destroy();
    },
  };

  async function send(url: string, request: RequestSpec, from?: string): Promise<HttpResponse> {
    const pool = poolOf(url, from);
    while (pool.inFlight >= mostInFlight) await once(pool.places, 'free');
    pool.inFlight += 1;
    const { signal, timer } = timeLimit(timeoutSeconds);
    const sending = { url, request, added, from, trusted, signal, begun: false };
    try {
      const response = await sendOver(pool, sending);
      return decodedResponse(response, [...(request.headers ?? []), ...added]);
    } catch (error) {
      const { begun } = sending;
      const hung = signal.aborted;
      const late = `no ${begun ? 'whole ' : ''}response within ${timeoutSeconds} s`;
      const broken = `${begun ? 'the response broke off: ' : ''}${reasonOf(error as Error, begun)}`;
      throw new NoResponseError(`${request.method} ${url}: ${hung ? late : broken}`, { begun, hung });
    } finally {
      clearInterval(timer);
      pool.inFlight -= 1;
      pool.places.emit('free');
    }
  }

  function poolOf(url: string, from: string | undefined): Pool {
    const key = `${new URL(url).origin} ${from ?? ''}`;
    const pool = pools.get(key) ?? { idle: [], inFlight: 0, places: new EventEmitter().setMaxListeners(0) };
    pools.set(key, pool);
    return pool;
  }

  async function sendOver(pool: Pool, sending: Sending): Promise<WireResponse> {
    const { url, request } = sending;
    // The target may close an idle connection just when it is used again: that is no fault.
    let mayReuse = request.requestLine === undefined && !/^(new|upgradable)$/.test(request.wire?.connection ?? '');
    for (let times = 1; ; times += 1, mayReuse = false) {
      const kept = (mayReuse ? takeIdle(pool) : undefined) ?? (await connect(sending));
      const response = await exchange(kept, sending).catch((error: unknown) => {
        if (times >= mostTimesInPieces || !isLostWhileSent(error as Error, request)) throw error;
      });
      if (response?.keeps === true) pool.idle.push({ ...kept, last: `${request.method} ${url}` });
      if (response) return response;
    }
  }
}

/** In so many parts a time is counted. */
const partsOfTime = 10;

/**
 * A signal that is aborted once the time is over. Of a time in which this process itself was held up, one part counts at most:
 * the response may have come meanwhile.
 */
function timeLimit(seconds: number) {
  const controller = new AbortController();
  let left = partsOfTime;
  const timer = setInterval(
    () => {
      left -= 1;
      if (left === 0) controller.abort();
    },
    (seconds * 1000) / partsOfTime,
  ).unref();
  return { signal: controller.signal, timer };
}

function takeIdle({ idle }: Pool): Kept | undefined {
  for (let kept = idle.pop(); kept; kept = idle.pop()) {
    const isSaid = kept.incoming.peek().toString('latin1').startsWith('HTTP/');
    if (!isSaid && !kept.socket.destroyed) return kept;
    kept.socket.destroy();
  }
  return undefined;
}

/**
 * Whether the response may have been lost. A target that responds before the end of a request should wait for that end before it
 * closes the connection, but need not (RFC 9112, section 9.6).
 */
function isLostWhileSent({ code }: NodeJS.ErrnoException, { wire }: RequestSpec): boolean {
  return wire?.writes !== undefined && (code === 'EPIPE' || code === 'ECONNRESET');
}

async function connect({ url, from, trusted, signal }: Sending): Promise<Kept> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'https:';
  const local = from === undefined ? {} : { localAddress: from, family: 4 };
  const options = { host, port: Number(port) || (isSecure ? 443 : 80), ...local };
  const socket = isSecure
    ? tls.connect({ ...options, ...trusted, servername: net.isIP(host) === 0 ? host : '' })
    : net.connect(options);
  const incoming = new IncomingBytes(socket.setNoDelay(true));
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
    return { socket, incoming };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Sends the beginning of a request, or all of it until the response begins, and closes the connection. */
async function breakOff(bytes: Buffer, isWhole: boolean, sending: Sending): Promise<void> {
  const { socket } = await connect(sending);
  const awaited = once(socket, isWhole ? 'data' : 'drain', { signal: sending.signal }).catch(() => undefined);
  // Without the last bytes, the empty line of a request without a body is missing.
  if (!socket.write(bytes.subarray(0, isWhole ? undefined : -3)) || isWhole) await awaited;
  await new Promise(setImmediate);
  socket.destroy();
}

/** @returns undefined if the target has closed an idle connection, and not processed the request */
async function exchange({ socket, incoming, last }: Kept, sending: Sending): Promise<WireResponse | undefined> {
  const { url, request, added, signal } = sending;
  const { method, requestLine, wire = {} } = request;
  const unread = incoming.received;
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    const { promise: continued, resolve: onHead } = Promise.withResolvers<number>();
    // A target that closes each connection may process what is sent behind another request, and not respond to it.
    const behind = last === undefined ? [] : (wire.behind ?? []);
    const read = async () => {
      for (const before of behind) if (!(await readResponse(incoming, before.method)).keeps) return undefined;
      return readResponse(incoming, method, (status) => {
        sending.begun ||= status >= 200;
        onHead(status);
      });
    };
    const reading = read();
    reading.catch(() => {
      onHead(0);
    });
    const base = url.slice(0, url.length - request.path.length);
    const written = (each: RequestSpec) => writtenRequest(base + each.path, each, added);
    const { head, body } = written(request);
    const { afterBroken: broken } = wire;
    if (broken) {
      const begun = written(typeof broken === 'string' ? request : broken);
      await breakOff(Buffer.concat([begun.head, begun.body]), broken === 'response', sending);
    }
    const earlier = behind.map(written).flatMap((each) => [each.head, each.body]);
    const emptyLine = Buffer.from(wire.emptyLine === true ? '\r\n' : '');
    const isWhole = await write(socket, Buffer.concat([...earlier, emptyLine, head]), body, wire, continued);
    const response = await reading;
    if (!response) return undefined;
    const rest = incoming.peek();
    // What follows a response without a body belongs to it, and is for the checks to say.
    const isExtra = rest.length > 0 && !rest.toString('latin1').startsWith('HTTP/');
    if (isExtra && !response.isHeadAlone) throw new NotHttpError(`it ${tooLong}`);
    const { connection = wire.version === undefined ? 'kept alive' : 'closing' } = wire;
    // A target that closes the connection as asked need not say so.
    const isClosing = /^(closing|upgradable)$/.test(connection) || requestLine !== undefined;
    const keeps = response.keeps && isWhole && !isClosing && rest.length === 0;
    if (!keeps) socket.destroy();
    return { ...response, keeps, ...(isExtra && { body: rest }) };
  } catch (error) {
    socket.destroy();
    const isUsedAgain = last !== undefined && !signal.aborted;
    if (isUsedAgain && incoming.received === unread) return undefined;
    if (isUsedAgain && !sending.begun && error instanceof NotHttpError)
      throw new NotHttpError(`the response before on the connection, to ${last}, ${tooLong}`);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function writtenRequest(
  url: string,
  { method, requestLine, headers = [], body, wire = {} }: RequestSpec,
  added: Connection['headers'],
): { head: Buffer; body: Buffer } {
  const chosen = new Set(headers.map(([name]) => name.toLowerCase()));
  const content = Buffer.from(body ?? '');
  // A method that has a body is sent with the length of an absent one, too (RFC 9110, section 8.6).
  const hasLength = body !== undefined || /^(POST|PUT|PATCH)$/i.test(method);
  const isFramed = wire.chunked !== undefined || chosen.has('content-length') || chosen.has('transfer-encoding');
  const oneChunk = { bytes: Math.max(1, content.length) };
  const { followedBy = '' } = wire;
  const framing = chosen.has('transfer-encoding') && followedBy === '' ? { chunked: oneChunk, ...wire } : wire;
  const fields = [
    ...(chosen.has('host') ? [] : [['Host', new URL(url).host] as const]),
    ...headers.filter(([name]) => wire.chunked === undefined || !/^(content-length|transfer-encoding)$/i.test(name)),
    ...added,
    ...(hasLength && !isFramed ? [['Content-Length', String(content.length)] as const] : []),
    ...wireFields(requestLine === undefined ? wire : { connection: 'closing' }),
  ];
  const address = wire.absolute === 'https' ? url.replace(/^http:/, 'https:') : url;
  const target = wire.absolute ? address : pathOf(url);
  const line = requestLine ?? `${method} ${target} HTTP/${wire.version ?? '1.1'}`;
  const lines = [line, ...fields.map((field) => field.join(': ')), '', ''];
  const sent = Buffer.concat([framed(content, framing), Buffer.from(followedBy)]);
  return { head: Buffer.from(lines.join('\r\n'), 'latin1'), body: sent };
}

/** The path as it is written, which `URL` would tidy up. */
export function pathOf(url: string): string {
  const { host, pathname } = new URL(url);
  return url.slice(url.indexOf(host) + host.length) || pathname;
}

/** Headers of which Node.js takes the first line alone. */
const single = /^(age|content-length|content-type|etag|expires|last-modified|location|retry-after|server)$/;

function decodedResponse({ status, fields, body }: WireResponse, sent: Connection['headers']): HttpResponse {
  const fieldLines: Record<string, string[]> = {};
  for (const [name, value] of fields) (fieldLines[name.toLowerCase()] ??= []).push(value);
  const headers: Record<string, string | undefined> = {};
  for (const [name, values] of Object.entries(fieldLines))
    headers[name] = single.test(name) ? values[0] : values.join(', ');
  const bytes = decoded(body, fieldLines['content-encoding']?.join(), sent);
  return { status, headers, text: bytes.toString(), bytes, fieldLines };
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** A body without its content coding, if that was asked for. @throws {NotHttpError} if it is not in the coding that is named */
function decoded(body: Buffer, contentEncoding: string | undefined, headers: Connection['headers']): Buffer {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  const accepted = headers
    .filter(([name]) => name.toLowerCase() === 'accept-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .filter((each) => !/;\s*q=0(\.0*)?$/.test(each.trim()))
    .map((each) => each.replace(/;.*/, '').trim());
  const decode = decoders[coding];
  if (!decode || body.length === 0) return body;
  try {
    const plain = decode(body);
    return accepted.includes(coding) || accepted.includes('*') ? plain : body;
  } catch {
    throw new NotHttpError(`its body is not in the coding ${coding} that it names`);
  }
}

/** The codes of a certificate that is not accepted. */
const certificateFault = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^CERT_/;

function reasonOf(error: NodeJS.ErrnoException, begun: boolean): string {
  if (begun && error instanceof ClosedError) return 'the connection was closed before its end';
  // If all addresses of a host have failed, the error that holds their errors has no message of its own.
  if (error instanceof AggregateError) return error.errors.map((one) => (one as Error).message).join(', ');
  const ofTls = /SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1];
  if (ofTls !== undefined) return `no connection with TLS: ${ofTls}`;
  const reason = error.message || (error.code ?? error.name);
  // Node.js adds an advice to its reason, which is about itself.
  return certificateFault.test(error.code ?? '')
    ? `${reason.replace(/;.*/s, '')} (--ca names authorities to trust)`
    : reason;
}
