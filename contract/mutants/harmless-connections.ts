/** Servers that send the same responses over connections that are used differently, and sooner or later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Behaviour, ProxiedRequest } from './mutant.ts';
import { headerValues } from './requests.ts';
import { type Change, type Edits, linesOf, refused, row, send } from './rows.ts';

/** A server that differs everywhere. */
export const like = (differs: string, edit: Edits | Change | Behaviour) => row(differs, '*', edit);

const compressed: Edits = {
  send: (outgoing, response, request) => {
    const accepted = headerValues(request, 'accept-encoding').join(',').split(/ *, */);
    const isAccepted = accepted.includes('gzip') && response.body !== '';
    response.headers['vary'] = 'Accept-Encoding';
    if (isAccepted) response.headers['content-encoding'] = 'gzip';
    send(outgoing, response, isAccepted ? gzipSync(response.body) : response.body);
  },
};

interface Raw {
  readonly version?: string;
  readonly reason?: string;
  /** Between the name of a header and its value, and after the value. */
  readonly space?: readonly [before: string, after: string];
  readonly added?: readonly string[];
  readonly framed?: (body: Buffer) => Buffer;
}

/** Writes the bytes of a response, and ends the connection. */
const raw = ({
  version = '1.1',
  reason = 'OK',
  space = [' ', ''],
  added = ['Connection: close'],
  framed,
}: Raw): Edits => ({
  send: ({ socket }, response, { method }) => {
    const fields = linesOf(response).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as const),
    );
    const lines = [...fields.map(([name, value]) => `${name}:${space[0]}${value}${space[1]}`), ...added];
    const body = Buffer.from(response.body);
    socket?.write(`HTTP/${version} ${response.status} ${reason}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
    socket?.end(method === 'HEAD' || response.status === 204 ? '' : (framed?.(body) ?? body));
  },
});

const inOneChunk: Raw = {
  added: ['Connection: close', 'Transfer-Encoding: chunked', 'Trailer: X-Checked'],
  framed: (body) => {
    const head = body.length === 0 ? '' : `${body.length.toString(16)};a=b\r\n`;
    const tail = `${head === '' ? '' : '\r\n'}0\r\nX-Checked: 1\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body, Buffer.from(tail)]);
  },
};

const inPieces = (bytes: number, isCounted: boolean): Edits => ({
  send: (outgoing, response, { method }) => {
    const body = Buffer.from(response.body);
    if (isCounted && method !== 'HEAD') outgoing.setHeader('content-length', body.length);
    send(outgoing, response, undefined);
    for (let at = 0; at < body.length; at += bytes) outgoing.write(body.subarray(at, at + bytes));
    outgoing.end();
  },
});

/** Waits before and after a request is forwarded. */
const waiting = (
  wait: (request: ProxiedRequest, count: number) => readonly [before: number, after: number],
): Behaviour => ({
  start: ({ forward }, matches) => {
    let count = 0;
    return async (request) => {
      const [before, after] = matches(request) ? wait(request, (count += 1)) : [0, 0];
      if (before > 0) await sleep(before);
      const response = await forward(request);
      if (after > 0) await sleep(after);
      return response;
    };
  },
});
const before15 = waiting(() => [15, 0]);
const after15 = waiting(() => [0, 15]);
const after8 = waiting(() => [0, 8]);
const every = (nth: number, milliseconds: number) => waiting((_, count) => [count % nth === 0 ? milliseconds : 0, 0]);

/** A pseudo-random delay that depends only on the number, now before and now after the request is forwarded. */
const jitter = waiting((_, count) => {
  const milliseconds = count % 4 === 0 ? Math.abs((Math.sin(count * 12.9898) * 43_758.5453) % 1) * 30 : 0;
  return count % 8 === 0 ? [milliseconds, 0] : [0, milliseconds];
});

/** The same responses over connections that are used differently, and sooner or later. */
export const connectionRows = [
  like('no Date', {
    send: (outgoing, response) => {
      outgoing.sendDate = false;
      delete response.headers['date'];
      send(outgoing, response, response.body);
    },
  }),
  like('space around header values', raw({ space: [' \t ', ' \t'] })),
  like('no space before header values', raw({ space: ['', ''] })),
  like('no reason phrase', raw({ reason: '' })),
  like('another reason phrase', raw({ reason: 'Voilà!' })),
  like('bodies delimited by the end of the connection', raw({})),
  like('HTTP/1.0 responses, each closing its connection', raw({ version: '1.0', added: [] })),
  like('chunks with extensions and a trailer', raw(inOneChunk)),
  like('each body in chunks', inPieces(50, false)),
  like('each body in pieces of a few bytes', inPieces(3, true)),
  like('a 102 before each response', {
    send: (outgoing, response) => {
      outgoing.writeProcessing();
      send(outgoing, response, response.body);
    },
  }),
  like('bodies in gzip where accepted', compressed),
  like('every 300th response takes a second', every(300, 1000)),
  like('a delay of up to 30 ms before or after every fourth request', jitter),
  row('a delay of 15 ms before each update', 'update', before15),
  row('a delay of 15 ms after each update', 'update', after15),
  row('a delay of 8 ms after each read of the setting', 'read', after8),
  row('one 429 with Retry-After in the middle', 'case 200', {
    remember: () => {
      let requests = 0;
      return (response) => ((requests += 1) === 20 ? refused(response, 429) : response);
    },
  }),
];
