import http from 'node:http';
import https from 'node:https';
import type { Answer, RequestSpec } from './model.js';

const largestAnswerBytes = 64 * 1024 * 1024;

/** The target did not answer as HTTP: it could not be reached, hung, or broke off. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/**
 * Sends one request over a connection that is kept for the next, and reads the whole answer within a time.
 * @throws {NoAnswerError} if no whole answer comes
 */
export function createHttpClient(timeoutSeconds: number) {
  const options = { keepAlive: true, maxSockets: 8 };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };

  return {
    send: (url: string, request: RequestSpec) => send(url, request),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };

  async function send(url: string, { method, headers = [], body }: RequestSpec): Promise<Answer> {
    const { protocol, hostname, port, host, pathname } = new URL(url);
    const origin = url.slice(0, url.indexOf(host) + host.length);
    const path = url.slice(origin.length) || pathname;
    const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
    const chosen = new Set(headers.map(([name]) => name.toLowerCase()));
    const rawHeaders = [...(chosen.has('host') ? [] : ['Host', host]), ...headers.flat()];
    if (!chosen.has('content-length') && !chosen.has('transfer-encoding')) rawHeaders.push(...length);

    return new Promise<Answer>((resolve, reject) => {
      const fail = (reason: string) => {
        reject(new NoAnswerError(`${method} ${url}: ${reason}`));
      };
      const secure = protocol === 'https:';
      const outgoing = (secure ? https : http).request({
        agent: secure ? agents['https:'] : agents['http:'],
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path,
        method,
        headers: rawHeaders as unknown as http.OutgoingHttpHeaders,
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      outgoing.on('error', (error) => {
        fail(
          error.name === 'AbortError' || error.name === 'TimeoutError'
            ? `no answer within ${timeoutSeconds} s`
            : error.message,
        );
      });
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > largestAnswerBytes) outgoing.destroy(new Error('the answer is larger than 64 MiB'));
        });
        incoming.on('error', (error) => {
          fail(`the answer broke off: ${error.message}`);
        });
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0;
          const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
          resolve({
            status,
            headers: Object.fromEntries(received) as Answer['headers'],
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      outgoing.end(body);
    });
  }
}

export type HttpClient = ReturnType<typeof createHttpClient>;
