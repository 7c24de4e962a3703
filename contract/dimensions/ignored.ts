/** The dimensions that change nothing: headers, queries, spellings, framings, connections, company and repetition. */
import type { RequestSpec } from '../run/model.ts';
import type { Wire } from '../run/wire.ts';
import type { Choice, Dimension } from './choice.ts';
import { headerGroups } from './headers.ts';
import { jsonTypes, otherSpellings } from './body-texts.ts';
import type { Operation } from '../document/model.ts';

type Header = readonly [name: string, value: string];

const usual: Choice = { name: 'nothing else', source: 'interface', anyApi: true, apply: (request) => request };

const withHeaders = (request: RequestSpec, ...added: Header[]): RequestSpec => ({
  ...request,
  headers: [...(request.headers ?? []), ...added],
});

/** No dimension has more choices, so that a few rows go through all of them. */
const mostChoices = 12;

const headerDimensions = headerGroups.flatMap(({ name, source, values, anyApi }): Dimension[] => {
  const choicesOf = ([header, each]: [string, readonly string[]]) =>
    each.map((value): Choice => ({
      name: `${header}: ${value.length > 60 ? `${value.slice(0, 20)}… (${value.length} characters)` : value}`,
      source,
      ...(anyApi && !anyApi.except.includes(header) && { anyApi: true }),
      apply: (request) => withHeaders(request, [header, value]),
      fits: ({ headers = [] }, operation) =>
        !headers.some(([sent]) => sent.toLowerCase() === header.toLowerCase()) && !isHeeded(operation, header),
    }));
  const parts: Choice[][] = [];
  // The values of one header stay together, because a request has one of them.
  for (const choices of Object.entries(values).map(choicesOf)) {
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
  'organisation_id=de300000-0000-4000-8000-000000000003',
  '__proto__[role]=owner&constructor[prototype][role]=owner',
  'unknown[x]=1&=&%20',
  '_method=PUT&method=DELETE',
  'x=%00',
  'x=%ff',
  'callback=x',
  'format=xml',
  'fields=none&limit=0&page=2',
  `long=${'x'.repeat(2000)}`,
  '?',
  '&&',
  '',
];

const queryChoices = queries.map((query): Choice => ({
  name: `the query ?${query.length > 60 ? `${query.slice(0, 20)}…` : query}`,
  source: 'decision',
  apply: (request) => ({ ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${query}` }),
  fits: (_request, operation) => operation?.parameters.every(({ in: place }) => place !== 'query') !== false,
}));

/** Two dimensions, because two queries can be joined. */
const queryDimensions = [0, 1].map((part): Dimension => ({
  name: 'query',
  choices: [usual, ...queryChoices.filter((_choice, index) => index % 2 === part)],
}));

const spelt = (name: string, spell: (name: string) => string): Choice => ({
  name: `header names ${name}`,
  source: 'interface',
  anyApi: true,
  apply: (request) => ({
    ...request,
    headers: (request.headers ?? []).map(([header, value]): Header => [spell(header), value]),
  }),
});

const spellingDimension: Dimension = {
  name: 'spelling of headers',
  choices: [
    usual,
    spelt('in lower case', (name) => name.toLowerCase()),
    spelt('in capitals', (name) => name.toUpperCase()),
    spelt('in odd case', (name) =>
      Array.from(name, (letter, at) => (at % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join(''),
    ),
    {
      name: 'headers in reverse order',
      source: 'interface',
      anyApi: true,
      apply: (request) => ({ ...request, headers: [...(request.headers ?? [])].reverse() }),
    },
    {
      name: 'white space around the values of headers',
      source: 'decision',
      apply: (request) => ({
        ...request,
        wire: { ...request.wire },
        headers: (request.headers ?? []).map(([name, value]): Header => [name, ` \t${value}\t `]),
      }),
    },
    {
      name: '40 other headers',
      source: 'interface',
      apply: (request) =>
        withHeaders(request, ...Array.from({ length: 40 }, (_none, index): Header => [`X-Filler-${index}`, 'x'])),
    },
    {
      name: 'a second line of Cookie and of X-Forwarded-For',
      source: 'interface',
      apply: (request) => withHeaders(request, ['cookie', 'role=owner'], ['x-forwarded-for', '10.0.0.1']),
    },
  ],
};

/** A target may close the connection before it has read a body that is too large. */
const isWireable = ({ requestLine, body = '' }: RequestSpec) => requestLine === undefined && body.length <= 16_384;

const wired = (name: string, wire: Wire, more: Partial<Choice> = {}): Choice => ({
  name,
  source: 'interface',
  anyApi: true,
  apply: (request) => ({ ...request, wire: { ...request.wire, ...wire } }),
  fits: isWireable,
  ...more,
});

const hasBody: Choice['fits'] = ({ body = '', headers = [], ...request }) =>
  body.length > 0 && isWireable({ body, ...request }) && !headers.some(([name]) => /^content-length$/i.test(name));

/** The interface document does not mention chunks, and small servers read Content-Length alone. */
const chunked = (name: string, chunks: Wire['chunked'] & object, more: Partial<Choice> = {}) =>
  wired(name, { chunked: chunks }, { fits: hasBody, source: 'decision', ...more });

/** A body that no server reads (RFC 9110, section 9.3.1). */
const unread = (name: string, wire: Wire): Choice => ({
  name,
  source: 'decision',
  apply: (request) => ({
    ...withHeaders(request, ['Content-Type', 'application/json']),
    body: '{"enabled":true}',
    wire: { ...request.wire, ...wire },
  }),
  fits: ({ method, body = '', headers = [], ...request }) =>
    /^(GET|HEAD)$/.test(method) &&
    body.length === 0 &&
    isWireable({ method, ...request }) &&
    !headers.some(([name_]) => /^content-(type|length|encoding)$/i.test(name_)),
});

const framingDimension: Dimension = {
  name: 'framing',
  choices: [
    usual,
    unread('a body in a request that reads', {}),
    unread('a chunked body in a request that reads', { chunked: { bytes: 5 } }),
    chunked('a chunked body', { bytes: 65_536 }),
    chunked(
      'chunks of one byte',
      { bytes: 1 },
      { fits: ({ body = '', ...rest }, operation) => body.length < 500 && hasBody({ body, ...rest }, operation) },
    ),
    chunked('chunk extensions', { bytes: 7, extension: ';name="value"' }, { anyApi: false }),
    chunked('a trailer', { bytes: 16, trailer: 'X-Trailer: 1\r\n' }, { anyApi: false }),
    wired('the body after the head', { writes: 'head before body' }, { fits: hasBody }),
    wired('Expect: 100-continue', { expectContinue: true }, { fits: hasBody }),
    wired('the head in two parts', { writes: 'split in the head' }),
    wired('the bytes in small pieces', { writes: 'in small pieces' }),
  ],
};

const connectionDimension: Dimension = {
  name: 'connection',
  choices: [
    usual,
    wired('a connection used before', {}),
    wired('a new connection', { connection: 'new' }),
    wired('Connection: close', { connection: 'closing' }),
    wired('another request before it in the same bytes', { connection: 'behind another' }),
    wired(
      'HTTP/1.0',
      { version: '1.0' },
      {
        source: 'decision',
        // Gateways refuse a body that a request of HTTP/1.0 should not have.
        fits: ({ wire, requestLine, method, body = '' }) =>
          requestLine === undefined &&
          wire?.chunked === undefined &&
          wire?.expectContinue !== true &&
          (body.length === 0 || !/^(GET|HEAD)$/.test(method)),
      },
    ),
  ],
};

const isJsonBody: Choice['fits'] = ({ body = '', headers = [] }) =>
  typeof body === 'string' &&
  /^[{[]/.test(body) &&
  isJsonText(body) &&
  headers.some(([name, value]) => /^content-type$/i.test(name) && value === 'application/json') &&
  !headers.some(([name]) => /^content-(encoding|length)$/i.test(name));

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bodySpellingDimension: Dimension = {
  name: 'spelling of the body',
  choices: [
    usual,
    ...Object.keys(otherSpellings('{"a":1}')).map((name): Choice => ({
      name: `a body with ${name}`,
      source: /mark|repeated/.test(name) ? 'decision' : 'interface',
      apply: (request) => ({ ...request, body: otherSpellings(String(request.body))[name] ?? '' }),
      fits: (request, operation) =>
        isJsonBody(request, operation) &&
        Buffer.byteLength(otherSpellings(String(request.body))[name] ?? '') <=
          (operation?.requestBody?.maxBytes ?? 0) &&
        (!name.includes('repeated') || /^\{"\w+":[^,]+\}$/.test(String(request.body))),
    })),
  ],
};

const mediaTypeDimension: Dimension = {
  name: 'spelling of the media type',
  choices: [
    usual,
    ...Object.entries(jsonTypes).map(([name, headers]): Choice => ({
      name: `a media type ${name}`,
      source: 'decision',
      apply: (request) => ({
        ...request,
        headers: [...(request.headers ?? []).filter(([sent]) => !/^content-type$/i.test(sent)), ...headers],
      }),
      fits: isJsonBody,
    })),
  ],
};

/** Most requests are sent alone: company and repetition cost several requests each. */
const companyDimension: Dimension = {
  name: 'company and repetition',
  isCostly: true,
  choices: [
    ...Array.from({ length: 8 }, () => usual),
    { ...usual, name: '7 other requests in flight', company: 7 },
    { ...usual, name: 'a request by another caller in flight', company: 1 },
    { ...usual, name: 'the same request twice in a row', times: 2 },
    { ...usual, name: 'the same request 3 times in a row', times: 3 },
    { ...usual, name: 'another credential with the same rights', usesSpare: true },
  ],
};

/** All dimensions that change nothing, in the order in which they are applied. */
export const ignoredDimensions: readonly Dimension[] = [
  ...headerDimensions,
  ...queryDimensions,
  bodySpellingDimension,
  mediaTypeDimension,
  spellingDimension,
  framingDimension,
  connectionDimension,
  companyDimension,
];

/** Whether the document gives a header a meaning: as a parameter, or by a status for conditional or partial responses. */
export function isHeeded(operation: Operation | undefined, header: string): boolean {
  if (!operation) return false;
  const { parameters, responses } = operation;
  if (parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === header.toLowerCase()))
    return true;
  const conditional = /^If-(None-Match|Modified-Since)$/i.test(header) && responses['304'] !== undefined;
  const unmet = /^If-(Match|Unmodified-Since)$/i.test(header) && responses['412'] !== undefined;
  return conditional || unmet || (/^(Range|If-Range)$/i.test(header) && responses['206'] !== undefined);
}
