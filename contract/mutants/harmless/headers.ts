import { headerValues } from '../requests.ts';
import type { Variant, ProxiedResponse } from '../mutant.ts';
import { changing, header, headers, linesOf, sending, writeRaw } from './variants.ts';

const mediaTypes: [name: string, spelling: string][] = [
  ['without-charset', 'application/json'],
  ['in-mixed-case', 'Application/JSON; Charset=UTF-8'],
  ['in-capitals', 'APPLICATION/JSON'],
  ['with-quoted-charset', 'application/json; charset="utf-8"'],
  ['with-quoted-charset-in-capitals', 'application/json;charset="UTF-8"'],
  ['without-space', 'application/json;charset=utf-8'],
  ['with-more-space', 'application/json \t;  charset=utf-8'],
  ['with-a-semicolon-at-the-end', 'application/json; charset=utf-8;'],
];

const added: [name: string, differs: string, headers: Record<string, string | string[]>][] = [
  ['server-named', 'Server and X-Powered-By', { server: 'nginx/1.27.0', 'x-powered-by': 'Something' }],
  ['behind-proxies', 'Via, Age and X-Cache', { via: '1.1 a, 1.1 b', age: '0', 'x-cache': 'MISS' }],
  [
    'security-headers',
    'security headers',
    {
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  ],
  ['validators', 'ETag', { etag: '"a"' }],
  ['varying', 'Vary, twice', { vary: ['Accept-Encoding', 'Origin'] }],
  ['cookie-of-a-gateway', 'a load balancer cookie', { 'set-cookie': ['lb=a; Path=/; HttpOnly', 'b=c'] }],
  ['language-named', 'Content-Language', { 'content-language': 'en' }],
  ['timing-told', 'Server-Timing and Alt-Svc', { 'server-timing': 'db;dur=1.5, app;dur=2', 'alt-svc': 'h3=":443"' }],
  ['trace-told', 'traceparent and X-Amzn-Trace-Id', { 'x-amzn-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793' }],
  ['date-of-another-clock', 'Date an hour ahead', { date: new Date(Date.now() + 3_600_000).toUTCString() }],
  ['links', 'Link to a description', { link: '<https://example.com/openapi.json>; rel="service-desc"' }],
];

const named = (name: string, differs: string, spell: (name: string) => string) =>
  changing(name, differs, (response) => {
    response.headers = Object.fromEntries(
      Object.entries(response.headers).map(([each, value]) => [spell(each), value]),
    );
  });

/** As gateways do: an id on each response, a timing on single ones. */
let passed = 0;

const reasonless = (response: ProxiedResponse) => `${response.status} `;

/** The same headers in other spellings, and additional headers. */
export const headerVariants: readonly Variant[] = [
  ...mediaTypes.map(([name, spelling]) =>
    header(`media-type-${name}`, `the media type as ${spelling}`, 'content-type', () => spelling),
  ),
  ...added.map(([name, differs, fields]) => changing(name, differs, headers(fields))),
  changing('gateway-headers', 'CF-Ray on each response, and Server-Timing on every third', (response) => {
    passed += 1;
    response.headers['cf-ray'] = `${passed.toString(16).padStart(16, '0')}-LHR`;
    if (passed % 3 === 0) response.headers['server-timing'] = 'app;dur=2';
  }),
  {
    name: 'cross-origin',
    breaks: 'CORS headers and preflight responses for one origin',
    start:
      ({ forward }) =>
      async (request) => {
        const [origin] = headerValues(request, 'origin');
        const [asked] = headerValues(request, 'access-control-request-method');
        const isListed = origin === 'https://listed.example';
        const allowed = { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'X-Request-Id' };
        if (request.method === 'OPTIONS' && isListed && asked !== undefined)
          return { status: 204, headers: { ...allowed, 'access-control-allow-methods': asked }, body: '' };
        const response = await forward(request);
        Object.assign(response.headers, { vary: 'Origin' }, isListed && allowed);
        return response;
      },
  },
  named('header-names-in-lower-case', 'header names in lower case', (name) => name.toLowerCase()),
  named('header-names-in-capitals', 'header names in upper case', (name) => name.toUpperCase()),
  named('header-names-in-odd-case', 'every second letter of header names in upper case', (name) =>
    Array.from(name, (letter, at) => (at % 2 === 0 ? letter : letter.toUpperCase())).join(''),
  ),
  changing('headers-reversed', 'headers in reverse order', (response) => {
    response.headers = Object.fromEntries(Object.entries(response.headers).toReversed());
  }),
  changing('without-date', 'no Date', (response) => {
    delete response.headers['date'];
    response.send = (outgoing) => {
      outgoing.sendDate = false;
      for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
      outgoing.writeHead(response.status).end(response.body);
    };
  }),
  sending('header-values-padded', 'space around header values', (outgoing, response) => {
    const lines = linesOf(response).map(([name, value]) => `${name}: \t ${value} \t`);
    writeRaw(outgoing, '1.1', `${response.status} OK`, [...lines, 'Connection: close'], Buffer.from(response.body));
  }),
  sending('header-values-unpadded', 'no space before header values', (outgoing, response) => {
    const lines = linesOf(response).map(([name, value]) => `${name}:${value}`);
    writeRaw(outgoing, '1.1', `${response.status} OK`, [...lines, 'Connection:close'], Buffer.from(response.body));
  }),
  sending('without-reason-phrase', 'no reason phrase', (outgoing, response) => {
    const lines = linesOf(response).map(([name, value]) => `${name}: ${value}`);
    writeRaw(outgoing, '1.1', reasonless(response), [...lines, 'Connection: close'], Buffer.from(response.body));
  }),
  header('limit-with-spaces', 'space between the parameters of RateLimit', 'ratelimit', (value) =>
    value.replaceAll(';', '; '),
  ),
  header('policy-with-spaces', 'space between the parameters of RateLimit-Policy', 'ratelimit-policy', (value) =>
    value.replaceAll(';', '; '),
  ),
  header('cache-control-in-another-case', 'Cache-Control as No-Store', 'cache-control', () => 'No-Store'),
  header('challenge-with-more-space', 'more space in the challenge', 'www-authenticate', (value) =>
    value.replaceAll(', ', ' ,  '),
  ),
  header('allow-without-space', 'no space between the methods of Allow', 'allow', (value) =>
    value.replaceAll(', ', ','),
  ),
  header('allow-reversed', 'the methods of Allow in reverse order', 'allow', (value) =>
    value.split(', ').toReversed().join(', '),
  ),
];
