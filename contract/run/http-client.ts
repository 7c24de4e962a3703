import http, { type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import net, { type Socket } from 'node:net';
import type { Connection, HttpResponse, RequestSpec } from './model.ts';
import { type Wire, WireClient, WireTimeoutError } from './wire.ts';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import tls from 'node:tls';
import type { Duplex } from 'node:stream';

const largestResponseBytes = 64 * 1024 * 1024;

/** After so many requests in a row without a response it is asked whether the target responds at all. */
const mostWithoutResponse = 3;

/** One of so many operations will respond, if the target does. */
const mostAsked = 8;

/** The target did not respond as HTTP: it could not be reached, hung, or broke off. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  /** Whether a response had begun. */
  readonly begun: boolean;
  /** Whether it was waited for until its time was over. */
  readonly hung: boolean;
  /** Whether the request was sent; it is not once too many before it have got no response. */
  readonly sent: boolean;

  constructor(message: string, { begun = false, hung = false, sent = true } = {}) {
    super(message);
    this.begun = begun;
    this.hung = hung;
    this.sent = sent;
  }
}

/**
 * Sends requests over connections that are kept for the next, and reads each whole response within a time; `send` rejects
 * with a {@link NoResponseError} if no whole response comes.
 * @param watch.urls are asked for when no response comes any more: if one of the lists has none either,
 * @param watch.onGone is called
 */
export function createHttpClient(
  timeoutSeconds: number,
  watch?: { urls: readonly (readonly string[])[]; onGone: () => void },
  connection?: Connection,
) {
  const options = { keepAlive: true, maxSockets: 8 };
  const trusted = {
    rejectUnauthorized: connection?.insecure !== true,
    ...(connection?.ca && { ca: connection.ca.pem }),
  };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent({ ...options, ...trusted }) };
  const wires = new WireClient({ timeoutSeconds, tls: trusted });
  let withoutResponse = 0;
  /** The last request on each connection that got a response. */
  const responded = new WeakMap<Socket, string>();

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
          await Promise.all((watch?.urls ?? []).map((some) => anyResponse(some))).catch(() => watch?.onGone());
        }
        throw error;
      }
    },
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
      wires.close();
    },
  };

  async function sendOnWire(url: string, request: RequestSpec & { wire: Wire }, from?: string): Promise<HttpResponse> {
    const raw = rawHeadersOf(url, request, connection?.headers);
    const headers = raw.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
    );
    const wanted = headers.filter(([name]) => request.wire.chunked === undefined || !/^content-length$/i.test(name));
    if (request.wire.chunked) wanted.push(['Transfer-Encoding', 'chunked']);
    if (request.wire.connection === 'closing') wanted.push(['Connection', 'close']);
    if (request.wire.expectContinue === true) wanted.push(['Expect', '100-continue']);
    const { status, fields, body } = await wires
      .send(new URL(url), pathOf(url), request, wanted, from)
      .catch((error: unknown) => {
        throw new NoResponseError(`${request.method} ${url}: ${reasonOf(error as NodeJS.ErrnoException)}`, {
          hung: error instanceof WireTimeoutError,
        });
      });
    const fieldLines: Record<string, string[]> = {};
    for (const [name, value] of fields) (fieldLines[name.toLowerCase()] ??= []).push(value);
    const sent = [...(request.headers ?? []), ...(connection?.headers ?? [])];
    const bytes = decoded(body, fieldLines['content-encoding']?.join(), sent);
    const joined = Object.entries(fieldLines).map(([name, values]) => [name, values.join(', ')]);
    return {
      status,
      headers: Object.fromEntries(joined) as HttpResponse['headers'],
      text: bytes.toString(),
      bytes,
      fieldLines,
    };
  }

  async function anyResponse(urls: readonly string[]): Promise<void> {
    await Promise.any(urls.slice(0, mostAsked).map((url) => send(url, { method: 'GET', path: '' })));
  }

  async function send(
    url: string,
    request: RequestSpec,
    from?: string,
    onNewConnection = false,
  ): Promise<HttpResponse> {
    if (request.wire) return sendOnWire(url, { ...request, wire: request.wire }, from);
    const { hostname, port } = new URL(url);
    const { requestLine } = request;
    const secure = url.startsWith('https:');
    return new Promise<HttpResponse>((resolve, reject) => {
      let [begun, failed] = [false, false];
      const fail = (reason: string, hung = false) => {
        reject(new NoResponseError(`${request.method} ${url}: ${reason}`, { begun, hung }));
      };
      const outgoing = (secure ? https : http).request({
        ...(requestLine === undefined
          ? { agent: onNewConnection ? false : agents[secure ? 'https:' : 'http:'] }
          : { createConnection: connectionWith(requestLine, secure) }),
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        ...(from !== undefined && { localAddress: from, family: 4 }),
        path: pathOf(url),
        method: request.method,
        ...(secure && trusted),
        headers: rawHeadersOf(url, request, connection?.headers) as unknown as http.OutgoingHttpHeaders,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      let headAlone: http.IncomingMessage | undefined;
      const onError = (error: NodeJS.ErrnoException) => {
        failed = true;
        const isNotHttp = error.code?.startsWith('HPE_') === true;
        const before = outgoing.socket && responded.get(outgoing.socket);
        // What follows a response without a body belongs to it, and is for the checks to say.
        if (headAlone && isNotHttp) {
          const { rawPacket, bytesParsed } = error as { rawPacket?: Buffer; bytesParsed?: number };
          resolve(responseOf(headAlone, rawPacket?.subarray(bytesParsed) ?? Buffer.alloc(0)));
          return;
        }
        if (isNotHttp && !begun && before !== undefined)
          fail(`the response before on the connection, to ${before}, has more bytes than its head announces`);
        else if (/^(Abort|Timeout)Error$/.test(error.name))
          fail(`no ${begun ? 'whole ' : ''}response within ${timeoutSeconds} s`, true);
        // The target has closed an idle connection just when it was used again: that is nobody's fault.
        else if (!begun && !onNewConnection && outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? ''))
          send(url, request, from, true).then(resolve, reject);
        else fail(begun ? `the response broke off: ${reasonOf(error)}` : reasonOf(error));
      };
      outgoing.on('error', onError);
      outgoing.on('close', () => {
        if (!begun && !failed) fail('the target closed the connection');
      });
      outgoing.on('response', (incoming) => {
        begun = true;
        if (incoming.statusCode === 204 || incoming.statusCode === 304 || request.method === 'HEAD')
          headAlone = incoming;
        responded.set(incoming.socket, `${request.method} ${url}`);
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > largestResponseBytes) outgoing.destroy(new Error('it is larger than 64 MiB'));
        });
        incoming.on('error', onError);
        incoming.on('close', () => {
          fail('the response broke off');
        });
        incoming.on('end', () => {
          resolve(
            responseOf(
              incoming,
              decoded(Buffer.concat(chunks), incoming.headers['content-encoding'], [
                ...(request.headers ?? []),
                ...(connection?.headers ?? []),
              ]),
            ),
          );
        });
      });
      outgoing.end(request.body);
    });
  }
}

/** The path as it is written, which `URL` would tidy up. */
function pathOf(url: string): string {
  const { host, pathname } = new URL(url);
  return url.slice(url.indexOf(host) + host.length) || pathname;
}

function rawHeadersOf(url: string, { headers = [], body }: RequestSpec, added: Connection['headers'] = []): string[] {
  const chosen = new Set(headers.map(([name]) => name.toLowerCase()));
  const rawHeaders = [...(chosen.has('host') ? [] : ['Host', new URL(url).host]), ...headers.flat(), ...added.flat()];
  if (body !== undefined && !chosen.has('content-length') && !chosen.has('transfer-encoding'))
    rawHeaders.push('Content-Length', String(Buffer.byteLength(body)));
  return rawHeaders;
}

function responseOf({ statusCode = 0, headers, headersDistinct }: http.IncomingMessage, body: Buffer): HttpResponse {
  const received = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    status: statusCode,
    headers: Object.fromEntries(received) as HttpResponse['headers'],
    text: body.toString(),
    bytes: body,
    fieldLines: headersDistinct,
  };
}

/** If all addresses of a host have failed, the error that holds their errors has no message of its own. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError) return error.errors.map((one) => (one as Error).message).join(', ');
  const tls = /SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1];
  if (tls !== undefined) return `no connection with TLS: ${tls}`;
  if (error.message === 'aborted') return 'the connection was closed before its end';
  const reason = error.message || (error.code ?? error.name);
  // Node.js adds an advice to its reason, which is about itself.
  if (certificateFault.test(error.code ?? '')) return `${reason.replace(/;.*/s, '')} (--ca names authorities to trust)`;
  return reason;
}

/** The codes of a certificate that is not accepted. */
const certificateFault = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^CERT_/;

export type HttpClient = ReturnType<typeof createHttpClient>;

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** A body without the content coding that its request has asked for. What nobody has asked for stays as it came. */
export function decoded(
  body: Buffer,
  contentEncoding: string | undefined,
  headers: readonly (readonly [name: string, value: string])[],
): Buffer {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  const accepted = headers
    .filter(([name]) => name.toLowerCase() === 'accept-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((each) => each.replace(/;.*/, '').trim());
  const decode = decoders[coding];
  if (!decode || body.length === 0 || !(accepted.includes(coding) || accepted.includes('*'))) return body;
  try {
    return decode(body);
  } catch {
    return body;
  }
}

type Write = (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;

/** Makes connections for one request each, which is sent with this first line. */
export function connectionWith(requestLine: string, secure: boolean): (options: ClientRequestArgs) => Duplex {
  return (options) => {
    const target = { ...options, port: Number(options.port) || (secure ? 443 : 80), host: options.hostname ?? '' };
    const socket = secure
      ? tls.connect({ ...(target as tls.ConnectionOptions), servername: net.isIP(target.host) ? '' : target.host })
      : net.connect(target);
    const write = socket.write.bind(socket) as Write;
    let isFirst = true;
    const replacing: Write = (chunk, ...rest) => {
      const text = isFirst
        ? Buffer.from(chunk)
            .toString('latin1')
            .replace(/^[^\r]*/, requestLine)
        : undefined;
      isFirst = false;
      return text === undefined ? write(chunk, ...rest) : write(Buffer.from(text, 'latin1'), ...rest.slice(-1));
    };
    return Object.assign(socket, { write: replacing });
  };
}
