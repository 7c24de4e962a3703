import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { endToEndHeaders } from './end-to-end-headers.ts';

/** Where a request is passed on to. */
export interface Onward {
  /** The base address, without a slash at its end. */
  readonly base: string;
  /** Path and query. */
  readonly path: string;
  /** How long the target may be silent. */
  readonly timeoutSeconds: number;
  /** The name under which the proxy adds itself to `Via` (RFC 9110, section 7.6.3). */
  readonly via: string;
}

/** What becomes of a request that is passed on. */
export interface ForwardEvents {
  /** The target has begun to respond. */
  onResponse(response: IncomingMessage): void;
  /** The target has not responded, or has broken off its response. Not called if the client disconnected. */
  onFailure(reason: string): void;
}

/**
 * Passes a request on and its response back as they are, but for the fields that concern one connection, `Host` and `Via`.
 * Bodies are streamed. Each request has a connection of its own: one that is kept may be closed by the target just when
 * it is used again, and nobody could tell that from a target that does not respond.
 */
export function forward(request: IncomingMessage, toClient: ServerResponse, to: Onward, events: ForwardEvents): void {
  const outgoing = open(request, to);
  let begun = false;
  // What the client still sends would stand in the way of its next request.
  const skipRest = () => request.unpipe(outgoing).resume();
  outgoing.on('continue', () => {
    toClient.writeContinue();
  });
  outgoing.on('response', (response) => {
    begun = true;
    const fault = beginResponse(response, toClient);
    if (fault !== undefined) {
      outgoing.destroy();
      events.onFailure(fault);
      return;
    }
    events.onResponse(response);
    passBack(response, toClient, events);
    response.once('end', () => {
      if (outgoing.writableFinished) return;
      skipRest();
      outgoing.destroy();
    });
  });
  outgoing.on('error', (error) => {
    skipRest();
    if (!begun && !toClient.closed) events.onFailure(reasonOf(error));
  });
  toClient.once('close', () => {
    if (!toClient.writableFinished) outgoing.destroy();
  });
  // A client that expects 100 Continue sends nothing before the target has seen its header.
  if (hasBody(request)) outgoing.flushHeaders();
  request.pipe(outgoing);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function open(request: IncomingMessage, { base, path, timeoutSeconds, via }: Onward): ClientRequest {
  const url = new URL(base);
  const protocol = url.protocol === 'https:' ? https : http;
  // Told to keep the connection, the target does not close it while the client still sends.
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

/** Sends the header of a response back. Some that Node.js reads it does not write: then it returns why. */
function beginResponse({ statusCode, statusMessage, rawHeaders }: IncomingMessage, toClient: ServerResponse) {
  try {
    toClient.writeHead(Number(statusCode), statusMessage, endToEndHeaders(rawHeaders).flat());
    return undefined;
  } catch (error) {
    toClient.statusMessage = '';
    return `the response cannot be passed on: ${reasonOf(error as Error)}`;
  }
}

function passBack(response: IncomingMessage, toClient: ServerResponse, events: ForwardEvents): void {
  let reason = 'it was not complete';
  response.on('error', (error) => {
    reason = reasonOf(error);
  });
  response.once('close', () => {
    if (response.complete || toClient.closed) return;
    events.onFailure(`the response broke off: ${reason}`);
    toClient.destroy();
  });
  response.pipe(toClient);
}

/** If several addresses have been tried in vain, the error that holds them all says nothing itself. */
function reasonOf({ message, errors }: Error & Partial<Pick<AggregateError, 'errors'>>): string {
  return errors === undefined ? message : errors.map((one) => (one as Error).message).join(', ');
}
