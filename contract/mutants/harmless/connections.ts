import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Variant } from '../mutant.ts';
import { labelledSecrets } from '../credential-forms.ts';
import { errorResponse, headerValues, isCase } from '../requests.ts';
import { linesOf, sending, writeRaw } from './variants.ts';

const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** Compresses responses to requests that accept the coding by name. */
const compressing = (coding: keyof typeof codings): Variant =>
  sending(
    `compressed-by-${coding}`,
    `bodies compressed by ${coding} where the request accepts that`,
    (outgoing, response, request) => {
      for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
      const accepted = headerValues(request, 'accept-encoding').join(',').split(/ *, */);
      const isAccepted = accepted.includes(coding) && response.body !== '';
      outgoing.setHeader('vary', 'Accept-Encoding');
      if (isAccepted) outgoing.setHeader('content-encoding', coding);
      outgoing.writeHead(response.status).end(isAccepted ? codings[coding](response.body) : response.body);
    },
  );

/** Waits before some responses. */
const slow = (name: string, differs: string, every: number, milliseconds: number): Variant => ({
  name,
  breaks: differs,
  start: ({ forward }) => {
    let requests = 0;
    return async (request) => {
      if ((requests += 1) % every === 0) await sleep(milliseconds);
      return forward(request);
    };
  },
});

/** The same server with secrets of another form. */
const presentedAs = (name: string, differs: string, form: (label: string) => string): Variant => ({
  name,
  breaks: differs,
  credentialForm: form,
  start: ({ forward, credentials }) => {
    const known = new Map(labelledSecrets(credentials).map(([, label, secret]) => [form(label), secret]));
    const translated = (value: string) =>
      value.replace(/^(\S+ +)?(\S+)$/, (whole, word = '', secret: string) => {
        const own = known.get(secret);
        return own === undefined ? whole : `${String(word)}${own}`;
      });
    return (request) => {
      const headers = request.headers.map(
        ([name, value]) => [name, /^(x-api-key|authorization)$/i.test(name) ? translated(value) : value] as const,
      );
      return forward({ ...request, headers });
    };
  },
});

/** The same responses over connections that are used differently. */
export const connectionVariants: readonly Variant[] = [
  sending('chunked', 'each body in chunks', (outgoing, response) => {
    for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
    outgoing.writeHead(response.status);
    for (let at = 0; at < response.body.length; at += 50) outgoing.write(response.body.slice(at, at + 50));
    outgoing.end();
  }),
  sending(
    'chunks-with-trailers',
    'each body in chunks, with extensions and a trailer',
    (outgoing, response, { method }) => {
      const lines = linesOf(response).map(([name, value]) => `${name}: ${value}`);
      const body = Buffer.from(response.body);
      const chunk = body.length === 0 ? '' : `${body.length.toString(16)};a=b\r\n${body.toString('latin1')}\r\n`;
      const hasBody = method !== 'HEAD' && response.status !== 204;
      writeRaw(
        outgoing,
        '1.1',
        `${response.status} OK`,
        [...lines, 'Transfer-Encoding: chunked', 'Trailer: X-Checked', 'Connection: close'],
        hasBody ? Buffer.from(`${chunk}0\r\nX-Checked: 1\r\n\r\n`, 'latin1') : Buffer.alloc(0),
      );
    },
  ),
  sending('connection-for-each-request', 'each connection closed after its response', (outgoing, response) => {
    for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
    outgoing.setHeader('connection', 'close');
    outgoing.writeHead(response.status).end(response.body);
  }),
  sending('http-1.0', 'HTTP/1.0 responses, each closing its connection', (outgoing, response) => {
    const lines = linesOf(response).map(([name, value]) => `${name}: ${value}`);
    writeRaw(outgoing, '1.0', `${response.status} OK`, lines, Buffer.from(response.body));
  }),
  sending('until-the-end', 'bodies delimited by the end of the connection', (outgoing, response) => {
    const lines = linesOf(response).map(([name, value]) => `${name}: ${value}`);
    writeRaw(outgoing, '1.1', `${response.status} OK`, [...lines, 'Connection: close'], Buffer.from(response.body));
  }),
  sending('byte-by-byte', 'each body in pieces of a few bytes', (outgoing, response, { method }) => {
    for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
    const body = Buffer.from(response.body);
    if (method !== 'HEAD') outgoing.setHeader('content-length', body.length);
    outgoing.writeHead(response.status);
    outgoing.flushHeaders();
    for (let at = 0; at < body.length; at += 3) outgoing.write(body.subarray(at, at + 3));
    outgoing.end();
  }),
  sending('early-hints', 'an informational response before each response', (outgoing, response) => {
    outgoing.writeEarlyHints({ link: '</a>; rel=preload' });
    for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
    outgoing.writeHead(response.status).end(response.body);
  }),
  ...(['gzip', 'deflate', 'br'] as const).map(compressing),
  slow('slow-at-times', 'every 300th response takes a second', 300, 1_000),
  slow('a-little-slow', 'every third response takes 20 ms', 3, 20),
  {
    name: 'limited-once',
    breaks: 'one 429 with Retry-After in the middle',
    start: ({ forward }) => {
      let requests = 0;
      return async (request) => {
        const response = await forward(request);
        if (!isCase(request) || response.status !== 200 || (requests += 1) !== 20) return response;
        const refusal = errorResponse(response, 429, 'request.rate-limit.exceeded');
        delete refusal.headers['content-length'];
        return { ...refusal, headers: { ...refusal.headers, 'retry-after': '1', ratelimit: '"credential";r=0;t=1' } };
      };
    },
  },
  presentedAs('short-secrets', 'secrets that are words', (label) =>
    label.replace(/^(\w+)_(key|token)(_\d+)?$/, '$3-$1-$2').replace(/^_?/, 's'),
  ),
  presentedAs('token-in-three-parts', 'secrets in the form of signed tokens', (label) => {
    const part = (text: string) => Buffer.from(text).toString('base64url');
    return `${part('{"alg":"none"}')}.${part(JSON.stringify({ sub: label, name: 'contract' }))}.${part(`${label} signed`)}`;
  }),
];
