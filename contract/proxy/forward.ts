import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';

/** The destination of a request. */
export interface Onward {
  /** The base address, without a trailing slash. */
  readonly base: string;
  /** Path and query. */
  readonly path: string;
  /** How long the target may be silent. */
  readonly timeoutSeconds: number;
  /** The name that the proxy adds to `Via` (RFC 9110, section 7.6.3). */
  readonly via: string;
}

/** Events of a forwarded request. */
export interface ForwardEvents {
  /** The target has started to respond. */
  onResponse(response: IncomingMessage): void;
  /** The target did not respond, or aborted its response. Not called if the client disconnected. */
  onFailure(reason: string): void;
}

/**
 * Forwards a request and its response unchanged, except for the fields of a connection, `Host` and `Via`. Streams the
 * bodies. Each request has a connection of its own: the target may close a reused one just as the request is sent,
 * which would look like a target that does not respond.
 */
export function forward(request: IncomingMessage, toClient: ServerResponse, to: Onward, events: ForwardEvents): void {
  const outgoing = open(request, to);
  let begun = false;
  // Discards what the client still sends, which would otherwise block its next request.
  const skipRest = () => request.unpipe(outgoing).resume();
  outgoing.on('continue', () => {
    toClient.writeContinue();
  });
  outgoing.on('response', (response) => {
    begun = true;
    const { statusCode, statusMessage, rawHeaders } = response;
    try {
      // Node.js parses some headers that it refuses to write.
      toClient.writeHead(Number(statusCode), statusMessage, endToEndHeaders(rawHeaders).flat());
    } catch (error) {
      toClient.statusMessage = '';
      outgoing.destroy();
      events.onFailure(`the response cannot be passed on: ${reasonOf(error as Error)}`);
      return;
    }
    events.onResponse(response);
    let reason = 'it was not complete';
    response.on('error', (error) => {
      reason = reasonOf(error);
    });
    response.once('close', () => {
      if (response.complete || toClient.closed) return;
      events.onFailure(`the response broke off: ${reason}`);
      toClient.destroy();
    });
    response.once('end', () => {
      if (outgoing.writableFinished) return;
      skipRest();
      outgoing.destroy();
    });
    response.pipe(toClient);
  });
  outgoing.on('error', (error) => {
    skipRest();
    if (!begun && !toClient.closed) events.onFailure(reasonOf(error));
  });
  toClient.once('close', () => {
    if (!toClient.writableFinished) outgoing.destroy();
  });
  // A client that expects 100 Continue sends no body until the target has received the header.
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if ((length ?? coding) !== undefined) outgoing.flushHeaders();
  request.pipe(outgoing);
}

function open(request: IncomingMessage, { base, path, timeoutSeconds, via }: Onward): ClientRequest {
  const url = new URL(base);
  const protocol = url.protocol === 'https:' ? https : http;
  // With keep-alive, the target does not close the connection while the client is still sending.
  const agent = new protocol.Agent({ keepAlive: true });
  const outgoing = protocol.request({
    agent,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname.replace(/\/$/, '') + path,
    method: request.method,
    timeout: timeoutSeconds * 1000,
  });
  for (const [name, value] of endToEndHeaders(request.rawHeaders))
    if (name.toLowerCase() !== 'host') outgoing.appendHeader(name, value);
  outgoing.setHeader('Host', url.host);
  outgoing.appendHeader('Via', `${request.httpVersion} ${via}`);
  if (request.headers['transfer-encoding'] !== undefined) outgoing.setHeader('Transfer-Encoding', 'chunked');
  outgoing.on('timeout', () => {
    outgoing.destroy(new Error(`the target has been silent for ${timeoutSeconds} s`));
  });
  outgoing.once('close', () => {
    agent.destroy();
  });
  return outgoing;
}

/** If several addresses failed, the AggregateError has no message of its own. */
function reasonOf({ message, errors }: Error & Partial<Pick<AggregateError, 'errors'>>): string {
  return errors === undefined ? message : errors.map((one) => (one as Error).message).join(', ');
}

/** Fields of a connection, not of the message (RFC 9110, section 7.6.1). */
const hopByHop =
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade';

/** The fields of a header section that an intermediary forwards, in their order and spelling. */
function endToEndHeaders(rawHeaders: readonly string[]): [name: string, value: string][] {
  const fields = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, String(rawHeaders[index + 1])]] : [],
  );
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/ *, */));
  // Without these, the message would mean something else, even if `Connection` names them.
  const needed = new Set(['content-length', 'host']);
  const left = new Set([...hopByHop.split(' '), ...named]).difference(needed);
  return fields.filter(([name]) => !left.has(name.toLowerCase()));
}
