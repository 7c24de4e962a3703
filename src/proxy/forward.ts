import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { endToEndHeaders } from './end-to-end-headers.js';

/** What becomes of a request that is passed on. */
export interface ForwardEvents {
  /** The target has begun to answer. */
  onAnswer(answer: IncomingMessage): void;
  /** The target has not answered, or has broken off its answer. Not called if it was the client that went away. */
  onFailure(reason: string): void;
}

export interface ForwarderOptions {
  /** How long the target may be silent. */
  readonly timeoutSeconds: number;
  /** The name under which the proxy adds itself to `Via` (RFC 9110, section 7.6.3). */
  readonly via: string;
}

/**
 * Passes requests on and answers back as they are, but for the fields that concern one connection, `Host` and `Via`.
 * Bodies are streamed. Connections to the target are kept for requests without a body, which can be sent again if the
 * target has closed the connection meanwhile.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /**
   * @param base where the request goes, without a slash at its end
   * @param path path and query
   */
  forward(
    request: IncomingMessage,
    response: ServerResponse,
    { base, path }: { base: string; path: string },
    events: ForwardEvents,
  ): void {
    const withBody = 'content-length' in request.headers || 'transfer-encoding' in request.headers;
    let outgoing: ClientRequest;
    const send = (keptConnection: boolean): void => {
      let begun = false;
      outgoing = this.#open(request, new URL(base), path, keptConnection);
      outgoing.on('continue', () => {
        response.writeContinue();
      });
      outgoing.on('response', (answer) => {
        begun = true;
        events.onAnswer(answer);
        passBack(answer, response, events);
        // What the client still sends would otherwise stand in the way of its next request.
        answer.once('end', () => request.unpipe(outgoing).resume());
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (begun || response.closed) return;
        if (keptConnection && outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')) send(false);
        else events.onFailure(reasonOf(error));
      });
      if (withBody) {
        // A client that expects 100 Continue sends nothing before the target has seen its header.
        outgoing.flushHeaders();
        request.pipe(outgoing);
      } else outgoing.end();
    };
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    send(!withBody);
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #open(request: IncomingMessage, url: URL, path: string, keptConnection: boolean): ClientRequest {
    const { timeoutSeconds, via } = this.#options;
    const secure = url.protocol === 'https:';
    const outgoing = (secure ? https : http).request({
      agent: keptConnection && this.#agents[secure ? 'https:' : 'http:'],
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
    return outgoing;
  }
}

function passBack(answer: IncomingMessage, response: ServerResponse, events: ForwardEvents): void {
  const { statusCode = 0, statusMessage, rawHeaders } = answer;
  try {
    response.writeHead(statusCode, statusMessage, endToEndHeaders(rawHeaders).flat());
  } catch (error) {
    answer.destroy();
    events.onFailure(`the answer cannot be passed on: ${reasonOf(error as Error)}`);
    return;
  }
  let reason = 'the target broke off its answer';
  answer.on('error', (error) => {
    if (!/aborted/.test(error.message)) reason = `the target broke off its answer: ${error.message}`;
  });
  answer.once('close', () => {
    if (answer.complete || response.closed) return;
    events.onFailure(reason);
    response.destroy();
  });
  answer.pipe(response);
}

/** If several addresses have been tried in vain, the error that holds them all says nothing itself. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError) return error.errors.map((one) => (one as Error).message).join(', ');
  return error.message || (error.code ?? error.name);
}
