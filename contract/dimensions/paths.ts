/** What no operation gets: paths that no document has, header sections on both sides of their bound, and what is not HTTP. */
import type { RequestSpec } from '../run/model.ts';
import { type Ask, ask } from './choice.ts';

/** Undocumented paths that resemble a documented one, made from its template and a valid path. */
export function pathVariants(template: string, path: string): Record<string, string> {
  const [, ...segments] = template.split('/');
  const fixed = segments.filter((segment) => !segment.startsWith('{'));
  const [first = ''] = fixed;
  const last = fixed.at(-1) ?? '';
  const inLast = (change: (segment: string) => string) => replaceSegments(path, [last], change);
  return {
    'trailing-slash': `${path}/`,
    'trailing-slashes': `${path}//`,
    'trailing-encoded-slash': inLast((segment) => (path.endsWith(segment) ? `${segment}%2F` : `${segment}%2F.`)),
    'doubled-slash-first': `/${path}`,
    'doubled-slash-inside': inLast((segment) => `/${segment}`),
    'upper-case': replaceSegments(path, fixed, (segment) => segment.toUpperCase()),
    'upper-case-letter': inLast((segment) => segment.charAt(0).toUpperCase() + segment.slice(1)),
    'prefix-segment': `/v1${path}`,
    'prefix-segment-of-frameworks': `/api${path}`,
    'suffix-segment': `${path}/suffix`,
    'suffix-segment-of-itself': path + path,
    'parent-path': path.slice(0, path.lastIndexOf('/')) || '/',
    'parent-path-slash': path.slice(0, path.lastIndexOf('/') + 1),
    'letter-cut': inLast((segment) => segment.slice(0, -1)),
    'letter-added': inLast((segment) => `${segment}x`),
    extension: inLast((segment) => `${segment}.json`),
    'percent-encoded-letter': inLast((segment) => `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`),
    'percent-encoded-first-letter': `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    'percent-encoded-slash': `/${path.slice(1).replace('/', '%2F')}`,
    'percent-malformed': inLast((segment) => `${segment}%zz`),
    'percent-encoded-query': inLast((segment) => `${segment}%3Fx=1`),
    'percent-cut': inLast((segment) => `${segment}%`),
    'nul-byte': inLast((segment) => `${segment}%00`),
    'space-after': inLast((segment) => `${segment}%20`),
    backslash: path.lastIndexOf('/') === 0 ? `${path}\\` : path.replace(/\/(?=[^/]*$)/, '\\'),
    'dot-segment-first': `/.${path}`,
    'dot-segment-inside': inLast((segment) => `./${segment}`),
    'dot-segments-back': `/${first}/..${path}`,
    'dot-segments-encoded': `/${first}/%2e%2e${path}`,
    semicolon: inLast((segment) => `${segment};parameter=1`),
  };
}

/** Paths that no document has. */
export const unknownPaths: Record<string, string> = {
  root: '/',
  word: '/no-such-path-9f3b',
  prototype: '/__proto__',
  constructor: '/constructor',
  'percent-malformed': '/%zz',
  'percent-not-utf-8': '/%ff%fe',
  'nul-byte': '/%00',
  traversal: '/..%2f..%2fetc%2fpasswd',
  template: '/%7Bid%7D',
  long: `/${'x'.repeat(4000)}`,
  deep: '/x'.repeat(1000),
  'published file': `/thumbnails/${'0123456789'.repeat(4)}.webp`,
  // What servers show by mistake.
  ...Object.fromEntries(['metrics', 'health', 'status', 'admin', '.env'].map((word) => [word, `/${word}`])),
};

function replaceSegments(path: string, segments: readonly string[], change: (segment: string) => string): string {
  const replaced = path.split('/').map((segment) => (segments.includes(segment) ? change(segment) : segment));
  return replaced.join('/');
}

const path = '/no-such-path-9f3b';

/** Of the lines of these headers, in bytes. */
export const lengthOf = (headers: RequestSpec['headers'] = []): number =>
  headers.reduce((length, [name, value]) => length + `${name}: ${value}\r\n`.length, 0);

/** A header section of about this size, because gateways may add fields. HAProxy reads at most 101 fields. */
function headersOf(bytes: number, each: number): [string, string][] {
  const headers: [string, string][] = [];
  while (lengthOf(headers) < bytes) {
    const name = `X-Filler-${headers.length}`;
    headers.push([name, 'x'.repeat(Math.max(1, Math.min(each, bytes - lengthOf(headers)) - name.length - 4))]);
  }
  return headers;
}

const sections: [kibibytes: number, fields: string, each: number, status: number][] = [
  [9, 'one field', Infinity, 404],
  [15, 'one field', Infinity, 404],
  [15, 'many fields', 256, 404],
  [17, 'one field', Infinity, 431],
  [24, 'many fields', 256, 431],
];

const notHttp = [
  'NONSENSE',
  `GET ${path} HTTP/9.9`,
  `GET ${path} HTTP/a.b`,
  'GET HTTP/1.1',
  `get ${path} HTTP/1.1`,
  `GET ${path} FTP/1.1`,
];

/** Header fields that make a request ambiguous (RFC 9112, sections 3.2, 5.1 and 6.3). */
const notFields: Readonly<Record<string, string>> = {
  'two lines of Host': 'Host: localhost\nHost: example.com',
  'a space after the name of a header': 'X-Filler : x',
  'a zero byte in a header': 'X-Filler: a\0b',
  'two lengths': 'Content-Length: 0\nContent-Length: 5',
  'a length that is no number': 'Content-Length: 5x',
};

const fieldsOf = (text: string) => text.split('\n').map((line) => line.split(': ') as [name: string, value: string]);

const message = (name: string, status: number, request: Partial<RequestSpec>, isTypical = false): Ask =>
  ask(name, () => ({}), {
    source: 'document',
    isTypical,
    documented: { promise: 'message', statuses: [status] },
    edit: () => ({ method: 'GET', path, ...request }),
  });

/** Each of them, followed by a request that shows that the service still responds. */
export const malformedMessages: readonly Ask[] = [
  ...sections.map(([kibibytes, fields, each, status]) => {
    const headers = headersOf(kibibytes * 1024, each);
    // There must be room for the headers of other ways.
    const isTypical = kibibytes === 9 || kibibytes === 17;
    return message(`with a header section of ${kibibytes} KiB in ${fields}`, status, { headers }, isTypical);
  }),
  ...notHttp.map((requestLine) => message(`with the first line ${requestLine}`, 400, { requestLine })),
  ...Object.entries(notFields).map(([name, text]) =>
    message(`with ${name}`, 400, { requestLine: `GET ${path} HTTP/1.1`, headers: fieldsOf(text) }),
  ),
  message('with a chunk size that is no number', 400, {
    requestLine: `PUT ${path} HTTP/1.1`,
    headers: [
      ['Content-Type', 'application/json'],
      ['Transfer-Encoding', 'chunked'],
    ],
    wire: { followedBy: 'zz\r\n{}\r\n0\r\n\r\n' },
  }),
].flatMap((asked) => [asked, message(`of an unknown path after ${asked.name}`, 404, {})]);
