/** The dimensions that change nothing: headers, queries, spellings, framings, connections, company and repetition. */
import { parsed, repeatedName } from '../oracle/json.ts';
import { withQuery } from '../plan/baseline.ts';
import type { RequestSpec } from '../run/model.ts';
import type { Wire } from '../run/wire.ts';
import { jsonTypes, otherSpellings } from './body-texts.ts';
import type { Choice, Dimension } from './choice.ts';
import { headerGroups, isHeeded } from './headers.ts';
import { lengthOf } from './paths.ts';

type Header = readonly [name: string, value: string];

const choice = (name: string, apply: Choice['apply'], more: Partial<Choice> = {}): Choice => ({
  name,
  source: 'interface',
  apply,
  ...more,
});

const usual = choice('nothing else', (request) => request, { anyApi: true });

const withHeaders = (request: RequestSpec, ...added: Header[]): RequestSpec => {
  return { ...request, headers: [...(request.headers ?? []), ...added] };
};

const has = ({ headers = [] }: RequestSpec, name: RegExp) => headers.some(([sent]) => name.test(sent));

const shortened = (text: string) =>
  text.length > 60 ? `${text.slice(0, 20)}… (${text.length} characters)` : text.replace('\n', ' and ');

/** No dimension has more choices, so that a few rows go through all of them. */
const mostChoices = 7;

const headerDimensions = headerGroups.flatMap(({ name, source, ...rows }): Dimension[] => {
  const { anyApi = [], anyStatus = [], ownApi = [] } = rows;
  const byHeader = new Map<string, Choice[]>();
  for (const row of [...anyApi, ...anyStatus, ...ownApi])
    for (const header of row[0].split(' ')) {
      const isSent = ([sent]: Header) => sent.length === header.length && sent.toLowerCase() === header.toLowerCase();
      const fits: Choice['fits'] = ({ headers = [] }, operation) =>
        !headers.some(isSent) && !isHeeded(operation, header);
      const choices = row.slice(1).map((value) => {
        const lines = value.split('\n').map((line): Header => [header, line]);
        const more = { source, anyApi: anyStatus.includes(row) ? ('status' as const) : anyApi.includes(row), fits };
        return choice(`${header}: ${shortened(value)}`, (request) => withHeaders(request, ...lines), more);
      });
      byHeader.set(header, [...(byHeader.get(header) ?? []), ...choices]);
    }
  const parts: Choice[][] = [];
  // The values of one header stay together, because a request has one of them.
  for (const choices of byHeader.values()) {
    const room = parts.find(({ length }) => length + choices.length <= mostChoices);
    if (room) room.push(...choices);
    else parts.push([usual, ...choices]);
  }
  return parts.map((choices) => ({ name, choices }));
});

const queries = [
  'unknown=1',
  'admin=true&role=owner&debug=1',
  'enabled=true&enabled=false',
  ['id', 'case_id', 'organisation_id'].map((name) => `${name}=de300000-0000-4000-8000-000000000003`).join('&'),
  '__proto__[role]=owner&constructor[prototype][role]=owner',
  'unknown[x]=1&=&%20',
  '_method=PUT&method=DELETE',
  'x=%00&y=%ff',
  'format=xml',
  'callback=x&fields=none&limit=0&page=2',
  'pretty&sort=-id&order=desc&offset=1&page_size=1&per_page=1&first=1&select=id&include=none',
  'v=2&version=2&api-version=2020-01-01&lang=de&tz=Europe/Berlin',
  'q=a+b;c=d&%E2%82%AC=%F0%9F%98%80',
  'files=false&metadata=0&label=&total_files=0&is_locked=true',
  'size=1&take=1&skip=1&after=x&cursor=x&count=1&max=1&$top=1&$skip=1&filter=x',
  `long=${'x'.repeat(5200)}`,
  Array.from({ length: 120 }, (_none, index) => `p${index}=1`).join('&'),
  '?',
  '&&',
  '',
];

const queryChoices = queries.map((query) =>
  choice(`the query ?${shortened(query)}`, (request) => ({ ...request, path: withQuery(request.path, query) }), {
    source: 'decision',
    // Some servers compare paths with the query.
    hides: true,
    fits: (request, operation) =>
      request.path.length + query.length < 6500 &&
      query.length + lengthOf(request.headers) < 12_000 &&
      operation?.parameters.every(({ in: place }) => place !== 'query') !== false,
  }),
);

/** Two dimensions, because two queries can be joined. */
const queryDimensions = [0, 1].map((part): Dimension => ({
  name: 'query',
  choices: [usual, ...queryChoices.filter((_choice, index) => index % 2 === part)],
}));

const spelt = (name: string, spell: (header: Header, at: number) => Header, more: Partial<Choice> = { anyApi: true }) =>
  choice(name, (request) => ({ ...request, headers: (request.headers ?? []).map(spell) }), more);

const named = (how: string, spell: (name: string) => string) =>
  spelt(`header names ${how}`, ([name, value]) => [spell(name), value]);

/** Headers of which the value matters. */
const heeded = /^(x-api-key|authorization|content-(type|encoding|length)|x-request-id)$/i;

/** White space that only a parser of bytes can be sent: Node.js would take it away. */
const spaced: Choice['apply'] = (request) => ({
  ...request,
  wire: { ...request.wire },
  headers: (request.headers ?? []).map(([name, value]): Header => [name, ` \t${value}\t `]),
});

const namesDimension: Dimension = {
  name: 'spelling of header names',
  choices: [
    usual,
    named('in lower case', (name) => name.toLowerCase()),
    named('in capitals', (name) => name.toUpperCase()),
    named('in odd case', (name) =>
      Array.from(name, (letter, at) => (at % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join(''),
    ),
  ],
};

const linesDimension: Dimension = {
  name: 'order and values of headers',
  choices: [
    usual,
    choice('headers in reverse order', (request) => ({ ...request, headers: [...(request.headers ?? [])].reverse() }), {
      anyApi: true,
    }),
    choice('white space around the values of headers', spaced, { source: 'decision' }),
    // HAProxy reads at most 101 fields, and those of a connection are added later.
    choice('up to 90 headers, in reverse order', ({ headers = [], ...request }) => ({
      ...request,
      headers: [
        ...Array.from({ length: 90 - headers.length }, (_none, index): Header => [`X-Filler-${index}`, 'x']),
        ...headers.toReversed(),
      ],
    })),
    // No parser of addresses, cookies or versions reads them, and no column of 255 characters holds them.
    ...[0, 1, 2].map((part) =>
      spelt(
        `every third other header with 300 percent signs (${part + 1})`,
        ([name, value], at) => [name, at % 3 === part && !heeded.test(name) ? value + '%'.repeat(300) : value],
        { fits: ({ path, headers = [] }) => path.length + lengthOf(headers) < 2800 },
      ),
    ),
  ],
};

/** A target may close the connection before it has read what is too large. */
const isWireable = ({ requestLine, headers = [], body = '' }: RequestSpec) =>
  requestLine === undefined && Math.max(body.length, lengthOf(headers)) <= 16_384;

const wired = (name: string, wire: Wire, more: Partial<Choice> = {}) =>
  choice(name, (request) => ({ ...request, wire: { ...request.wire, ...wire } }), {
    anyApi: true,
    fits: isWireable,
    ...more,
  });

const hasBody = (request: RequestSpec) =>
  (request.body?.length ?? 0) > 0 && isWireable(request) && !has(request, /^content-length$/i);

const hasShortBody = (request: RequestSpec) => (request.body?.length ?? 0) < 500 && hasBody(request);

/** The interface document does not mention chunks, and small servers read Content-Length alone. */
const chunked = (name: string, chunks: Wire['chunked'] & object, more: Partial<Choice> = {}) =>
  wired(name, { chunked: chunks }, { fits: hasBody, source: 'decision', ...more });

/** A body that no server reads (RFC 9110, section 9.3.1). */
const unread = (name: string, headers: readonly Header[], body?: string, wire?: Wire) =>
  choice(
    name,
    (request) => ({
      ...withHeaders(request, ...headers),
      ...(body !== undefined && { body }),
      wire: { ...request.wire, ...wire },
    }),
    {
      source: 'decision',
      fits: (request) =>
        /^(GET|HEAD)$/.test(request.method) &&
        (request.body?.length ?? 0) === 0 &&
        isWireable(request) &&
        !has(request, /^content-(type|length|encoding)$/i),
    },
  );

const json: Header = ['Content-Type', 'application/json'];
const unreadBody = `{"enabled":true,"padding":"${'x'.repeat(2000)}"}`;

const framingDimension: Dimension = {
  name: 'framing',
  choices: [
    usual,
    unread('a body in a request that reads', [json], unreadBody),
    unread('a chunked body in a request that reads', [json], unreadBody, { chunked: { bytes: 5 } }),
    unread('Content-Type and Content-Length: 0 without a body', [json, ['Content-Length', '0']]),
    unread('the media type of a form without a body', [['Content-Type', 'application/x-www-form-urlencoded']]),
    unread('the media type of text without a body', [['Content-Type', 'text/plain;charset=UTF-8']]),
    chunked('a chunked body', { bytes: 65_536 }),
    chunked('chunks of one byte', { bytes: 1 }, { fits: hasShortBody }),
    chunked('chunk extensions', { bytes: 7, extension: ';name="a;value"' }, { anyApi: false }),
    chunked(
      'chunk sizes in capitals with leading zeros',
      { bytes: 11, zeros: '000', coding: 'CHUNKED' },
      { anyApi: false },
    ),
    chunked('a trailer', { bytes: 16, trailer: 'X-Trailer: 1\r\n' }, { anyApi: false }),
  ],
};

const writingDimension: Dimension = {
  name: 'writing',
  choices: [
    usual,
    wired('the body after the head', { writes: 'head before body' }, { fits: hasBody }),
    wired('Expect: 100-continue', { expectContinue: '100-continue' }, { fits: hasBody }),
    wired(
      'Expect: 100-Continue',
      { expectContinue: '100-Continue' },
      { fits: hasBody, anyApi: false, source: 'decision' },
    ),
    wired('the first byte alone', { writes: 'first byte alone' }),
    wired('the bytes in small pieces', { writes: 'in small pieces' }),
    wired('an empty line before it', { emptyLine: true }, { anyApi: false, source: 'decision' }),
    wired('the whole address in the request line', { absolute: true }, { anyApi: false, source: 'decision' }),
    wired('the whole address with https', { absolute: 'https' }, { anyApi: false, source: 'decision' }),
  ],
};

/** Gateways refuse a body that a request of HTTP/1.0 should not have. */
const fitsHttp10 = ({ wire, requestLine, method, body = '' }: RequestSpec) =>
  requestLine === undefined &&
  wire?.chunked === undefined &&
  wire?.expectContinue === undefined &&
  (body.length === 0 || !/^(GET|HEAD|DELETE)$/.test(method));

const ofHttp10 = { source: 'decision', fits: fitsHttp10 } as const;

const elsewhere = { method: 'GET', path: '/no-such-path-9f3b' };

/**
 * Node.js sends `100 Continue` after the head of the response if the request waits for one before it. A server that closes the
 * connection after the first response may have done what is then sent again, which shows unless it is a read or a PUT.
 */
const fitsBehind = {
  fits: (request: RequestSpec) =>
    /^(GET|HEAD|PUT)$/.test(request.method) && isWireable(request) && !request.wire?.expectContinue,
};

/** The headers of a request that are not about its body. */
const withoutBody = ({ headers = [] }: RequestSpec) =>
  headers.filter(([name]) => !/^(content-|transfer-|expect)/i.test(name));

const behindReads: Choice['apply'] = (request) => {
  const read = { method: 'GET', path: request.path, headers: withoutBody(request) };
  return { ...request, wire: { ...request.wire, behind: [read, elsewhere, read] } };
};

const updateOf = (request: RequestSpec, body: string) => {
  return { method: 'PUT', path: request.path, headers: [...withoutBody(request), json], body };
};

/** What comes before its end is valid. */
const afterBrokenUpdate: Choice['apply'] = (request) => {
  return { ...request, wire: { ...request.wire, afterBroken: updateOf(request, '{"enabled":true}    ') } };
};

/** The connection stays usable (decision D14). */
const behindTooLarge: Choice['apply'] = (request) => {
  return { ...request, wire: { ...request.wire, behind: [updateOf(request, ' '.repeat(20_000))] } };
};

const connectionDimension: Dimension = {
  name: 'connection',
  choices: [
    usual,
    wired('a connection used before', {}),
    wired('a new connection', { connection: 'new' }),
    wired('Connection: close', { connection: 'closing' }),
    wired('an offer of HTTP/2', { connection: 'upgradable' }, { anyApi: false, source: 'decision' }),
    wired('another request before it in the same bytes', { behind: [elsewhere] }, fitsBehind),
    wired('a Connection that names another header', { connection: 'naming a header' }),
    wired('HTTP/1.0', { version: '1.0' }, ofHttp10),
    wired('HTTP/1.0 with keep-alive', { version: '1.0', connection: 'kept alive' }, ofHttp10),
  ],
};

const isJsonBody = (request: RequestSpec) =>
  typeof request.body === 'string' &&
  /^[{[]/.test(request.body) &&
  parsed(request.body) !== undefined &&
  // Written anew, it would lose what is repeated.
  repeatedName(request.body) === undefined &&
  (request.headers ?? []).some((header) => header[0] === json[0] && header[1] === json[1]) &&
  !has(request, /^content-(encoding|length)$/i);

const bodySpellingDimension: Dimension = {
  name: 'spelling of the body',
  choices: [
    usual,
    ...Object.entries(otherSpellings).map(([name, spelling]) => {
      const spell = ({ body }: RequestSpec) => spelling(String(body));
      return choice(`a body with ${name}`, (request) => ({ ...request, body: spell(request) }), {
        source: /mark|repeated/.test(name) ? 'decision' : 'interface',
        fits: (request, operation) =>
          isJsonBody(request) &&
          [spell(request), String(request.body)].every(
            (text) => Buffer.byteLength(text) <= (operation?.requestBody?.maxBytes ?? 0),
          ) &&
          (!name.includes('repeated') || /^\{"\w+":[^,]+\}$/.test(String(request.body))),
      });
    }),
  ],
};

const mediaTypeDimension: Dimension = {
  name: 'spelling of the media type',
  choices: [
    usual,
    ...Object.entries(jsonTypes).map(([name, headers]) => {
      const apply: Choice['apply'] = (request) => {
        const others = (request.headers ?? []).filter(([sent]) => !/^content-type$/i.test(sent));
        return { ...request, headers: [...others, ...headers] };
      };
      return choice(`a media type ${name}`, apply, { source: 'decision', fits: isJsonBody });
    }),
  ],
};

const readsAlone = { fits: (request: RequestSpec) => /^(GET|HEAD)$/.test(request.method) && isWireable(request) };

/** Most requests are sent alone: company and repetition cost several requests each. */
const companyDimension: Dimension = {
  name: 'company and repetition',
  isCostly: true,
  choices: [
    ...Array.from({ length: 5 }, () => usual),
    { ...usual, name: '7 other requests in flight', company: 7 },
    { ...usual, name: 'a request by another caller in flight', company: 1 },
    { ...usual, name: 'the same request three times in a row', times: 3 },
    { ...usual, name: 'another credential with the same rights', usesSpare: true },
    choice('3 requests before it in the same bytes, two of them reads of its path', behindReads, fitsBehind),
    wired('the same request before it, broken off', { afterBroken: 'request' }, { anyApi: false }),
    wired(
      'the same request before it, its response broken off',
      { afterBroken: 'response' },
      { ...readsAlone, source: 'decision', anyApi: false },
    ),
    choice('an update before it, broken off', afterBrokenUpdate, {
      source: 'decision',
      fits: (request, operation) => operation?.operationId === 'getVerificationSetting' && isWireable(request),
    }),
    choice('an update before it in the same bytes that is too large', behindTooLarge, {
      source: 'decision',
      fits: (request, operation) =>
        /VerificationSetting$/.test(operation?.operationId ?? '') && fitsBehind.fits(request),
    }),
  ],
};

/** It takes a pause, so most requests are sent at once. */
const slowDimension: Dimension = {
  name: 'slow body',
  isCostly: true,
  choices: [
    ...Array.from({ length: 12 }, () => usual),
    wired('the body 40 ms after the head', { writes: 'body late' }, { fits: hasBody }),
  ],
};

/** All dimensions that change nothing, in the order in which they are applied. */
export const ignoredDimensions: readonly Dimension[] = [
  ...headerDimensions,
  ...queryDimensions,
  bodySpellingDimension,
  mediaTypeDimension,
  namesDimension,
  linesDimension,
  framingDimension,
  writingDimension,
  slowDimension,
  connectionDimension,
  companyDimension,
];
