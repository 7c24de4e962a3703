import { randomBytes, randomUUID } from 'node:crypto';
import http, { type ClientRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import { originForm, send } from '../cli/serve.ts';
import { hasOwnHost } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { isPreflight } from '../oracle/request.ts';
import { type Observer, observe } from './observe.ts';

export interface ProxyOptions extends Observer {
  /** The base address of the server behind the proxy, without a trailing slash. */
  readonly target: string;
  /** The target of requests whose path has its own base addresses in the document. */
  readonly caseTarget: string;
  readonly timeoutSeconds: number;
}

/**
 * A proxy that forwards everything and reports violations of the contract, which does not cover preflight requests. If the
 * target does not respond, the response is the documented error `service.unavailable`.
 */
export function createProxy(options: ProxyOptions) {
  const { target, caseTarget, timeoutSeconds, document, report, now } = options;
  /** The name that the proxy adds to `Via` (RFC 9110, section 7.6.3). */
  const via = `document-analysis-proxy-${randomBytes(4).toString('hex')}`;
  const inFlight = new Set<Promise<void>>();

  return {
    listener: ((request, toClient) => {
      const path = originForm(request.url);
      const exchange = isPreflight(request) ? undefined : observe(request, path, { document, report, now });
      const onFailure = (reason: string): void => {
        exchange?.noResponse(reason);
        if (!toClient.headersSent) sendUnavailable(toClient, reason);
      };
      if (request.headers.via?.includes(via) === true) {
        onFailure('the target is this proxy itself');
        return;
      }
      const onResponse = (response: IncomingMessage): void => {
        if (!exchange) return;
        const told = exchange.response(response).finally(() => inFlight.delete(told));
        inFlight.add(told);
      };
      const base = new URL(hasOwnHost(document, String(request.method), path) ? caseTarget : target);
      forward(request, toClient, open(request, base, { path, timeoutSeconds, via }), onResponse, onFailure);
    }) satisfies RequestListener,
    /** Call it when no request is in flight any more; resolves when everything has been reported. */
    close: async (): Promise<void> => {
      await Promise.all(inFlight);
    },
  };
}

function sendUnavailable(toClient: ServerResponse, reason: string): void {
  const error_code = 'service.unavailable';
  const error_message = ownDocument.errors[error_code]?.message;
  const body = JSON.stringify({ error_code, error_message, error_details: { proxy: reason } });
  const headers = { 'Retry-After': '5', 'X-Request-Id': randomUUID() };
  send(toClient, 503, headers, { mediaType: 'application/json', body });
}

/**
 * Streams a request and its response, unchanged except for the fields of a connection, `Host` and `Via`.
 * @param onFailure the target did not respond, or aborted its response; not called if the client disconnected
 */
function forward(
  request: IncomingMessage,
  toClient: ServerResponse,
  outgoing: ClientRequest,
  onResponse: (response: IncomingMessage) => void,
  onFailure: (reason: string) => void,
): void {
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
      onFailure(`the response cannot be passed on: ${reasonOf(error as Error)}`);
      return;
    }
    onResponse(response);
    let reason = 'it was not complete';
    response.on('error', (error) => {
      reason = reasonOf(error);
    });
    response.once('close', () => {
      if (response.complete || toClient.closed) return;
      onFailure(`the response broke off: ${reason}`);
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
    if (!begun && !toClient.closed) onFailure(reasonOf(error));
  });
  toClient.once('close', () => {
    if (!toClient.writableFinished) outgoing.destroy();
  });
  // A client that expects 100 Continue sends no body until the target has received the header.
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if ((length ?? coding) !== undefined) outgoing.flushHeaders();
  request.pipe(outgoing);
}

/** Each request has a connection of its own: a target that closes a reused one would look like one that does not respond. */
function open(
  request: IncomingMessage,
  { protocol, host, hostname, port, pathname }: URL,
  { path, timeoutSeconds, via }: { path: string; timeoutSeconds: number; via: string },
): ClientRequest {
  const { Agent, request: call } = protocol === 'https:' ? https : http;
  // With keep-alive, the target does not close the connection while the client is still sending.
  const agent = new Agent({ keepAlive: true });
  const outgoing = call({
    agent,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: pathname.replace(/\/$/, '') + path,
    method: request.method,
    timeout: timeoutSeconds * 1000,
  });
  for (const [name, value] of endToEndHeaders(request.rawHeaders))
    if (name.toLowerCase() !== 'host') outgoing.appendHeader(name, value);
  outgoing.setHeader('Host', host);
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
