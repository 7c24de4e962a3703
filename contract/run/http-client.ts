import http from 'node:http';
import https from 'node:https';
import type { Answer, RequestSpec } from './model.ts';

const largestAnswerBytes = 64 * 1024 * 1024;

/** After so many requests in a row without an answer it is asked whether the target answers anything at all. */
const mostUnanswered = 3;

/** The target did not answer as HTTP: it could not be reached, hung, or broke off. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** Whether an answer had begun. */
  readonly begun: boolean;

  constructor(message: string, { begun = false } = {}) {
    super(message);
    this.begun = begun;
  }
}

/**
 * Sends requests over connections that are kept for the next, and reads each whole answer within a time; `send` rejects
 * with a {@link NoAnswerError} if no whole answer comes.
 * @param watch.urls are asked for when nothing is answered any more: if one of them is not answered either,
 * @param watch.onGone is called
 */
export function createHttpClient(timeoutSeconds: number, watch?: { urls: readonly string[]; onGone: () => void }) {
  const options = { keepAlive: true, maxSockets: 8 };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  let unanswered = 0;

  return {
    async send(url: string, request: RequestSpec): Promise<Answer> {
      try {
        const answer = await send(url, request);
        unanswered = 0;
        return answer;
      } catch (error) {
        if (error instanceof NoAnswerError && (unanswered += 1) >= mostUnanswered) {
          unanswered = 0;
          const asked = watch?.urls.map((each) => send(each, { method: 'GET', path: '' })) ?? [];
          await Promise.all(asked).catch(() => watch?.onGone());
        }
        throw error;
      }
    },
    close(): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };

  async function send(url: string, request: RequestSpec, onNewConnection = false): Promise<Answer> {
    const { hostname, port } = new URL(url);
    const secure = url.startsWith('https:');
    return new Promise<Answer>((resolve, reject) => {
      let [begun, failed] = [false, false];
      const fail = (reason: string) => {
        reject(new NoAnswerError(`${request.method} ${url}: ${reason}`, { begun }));
      };
      const outgoing = (secure ? https : http).request({
        agent: onNewConnection ? false : agents[secure ? 'https:' : 'http:'],
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: pathOf(url),
        method: request.method,
        headers: rawHeadersOf(url, request) as unknown as http.OutgoingHttpHeaders,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      const onError = (error: NodeJS.ErrnoException) => {
        failed = true;
        if (/^(Abort|Timeout)Error$/.test(error.name))
          fail(`no ${begun ? 'whole ' : ''}answer within ${timeoutSeconds} s`);
        // The target has closed an idle connection just when it was used again: that is nobody's fault.
        else if (!begun && !onNewConnection && outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? ''))
          send(url, request, true).then(resolve, reject);
        else fail(begun ? `the answer broke off: ${reasonOf(error)}` : reasonOf(error));
      };
      outgoing.on('error', onError);
      outgoing.on('close', () => {
        if (!begun && !failed) fail('the target closed the connection');
      });
      outgoing.on('response', (incoming) => {
        begun = true;
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > largestAnswerBytes) outgoing.destroy(new Error('it is larger than 64 MiB'));
        });
        incoming.on('error', onError);
        incoming.on('close', () => {
          fail('the answer broke off');
        });
        incoming.on('end', () => {
          resolve(answerOf(incoming, Buffer.concat(chunks)));
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

function rawHeadersOf(url: string, { headers = [], body }: RequestSpec): string[] {
  const chosen = new Set(headers.map(([name]) => name.toLowerCase()));
  const rawHeaders = [...(chosen.has('host') ? [] : ['Host', new URL(url).host]), ...headers.flat()];
  if (body !== undefined && !chosen.has('content-length') && !chosen.has('transfer-encoding'))
    rawHeaders.push('Content-Length', String(Buffer.byteLength(body)));
  return rawHeaders;
}

function answerOf({ statusCode = 0, headers }: http.IncomingMessage, body: Buffer): Answer {
  const received = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    status: statusCode,
    headers: Object.fromEntries(received) as Answer['headers'],
    text: body.toString(),
  };
}

/** If several addresses have been tried in vain, the error that holds them all says nothing itself. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError) return error.errors.map((one) => (one as Error).message).join(', ');
  return error.message || (error.code ?? error.name);
}

export type HttpClient = ReturnType<typeof createHttpClient>;
