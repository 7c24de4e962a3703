/** Servers that conform in another way than the project's own: no check may fail. */
import { connectionRows, like } from './harmless-connections.ts';
import type { Mutant, ProxiedRequest } from './mutant.ts';
import { headerValues, isUpdate, operationOf } from './requests.ts';
import { breaking, type Edits, type HeaderEdit, row, sets } from './rows.ts';

const escaped = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** Rewrites the strings of a JSON text, with or without member names. */
const texts = (rewrite: (text: string) => string, names = false): Edits => ({
  text: (body) =>
    body.replace(/"((?:[^"\\]|\\.)*)"(\s*:)?/g, (whole, _inner, colon?: string) => {
      const text = JSON.parse(whole.replace(/\s*:$/, '')) as string;
      return colon !== undefined && !names ? whole : `"${rewrite(text)}"${colon ?? ''}`;
    }),
});

const members = (order: (names: string[]) => string[]): Edits => ({
  json: function ordered(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(ordered);
    if (typeof value !== 'object' || value === null) return value;
    const fields = value as Record<string, unknown>;
    return Object.fromEntries(order(Object.keys(fields)).map((name) => [name, ordered(fields[name])]));
  },
});

const withFiles = (spelling: string): Edits => ({
  text: (body) => body.replace(/("total_files":\d+)(?=[,}])/, spelling),
});
const times = (spelling: string): Edits => ({
  // Texts in metadata are no times.
  text: (body) => body.replace(/(?<=_at":)"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z"/g, spelling),
});
const inErrors = (fields: object, defaults = {}): Edits => ({
  json: (body) => ('error_code' in body ? { ...defaults, ...body, ...fields } : body),
});
const withSlashes = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/');

const reversed = (names: string[]) => names.toReversed();

const jsonRows = [
  like('members in reverse order', members(reversed)),
  row('members in another order in each success', '* 200', members(shuffled)),
  like('JSON indented by two spaces', { text: (body) => JSON.stringify(JSON.parse(body), null, 2) }),
  like('white space around the JSON', { text: (body) => ` \r\n\t${body}\n\n` }),
  like('characters beyond ASCII escaped', { text: (body) => body.replace(/[\u0080-\uffff]/g, escaped) }),
  like('each character of each string escaped', texts(escaped)),
  like('strings and names escaped', texts(escaped, true)),
  like('slashes of JSON escaped', texts(withSlashes)),
  like('whole numbers with a fraction of zero', withFiles('$1.0')),
  like('whole numbers with an exponent', withFiles('$1e0')),
  like('zero with a sign', { text: (body) => body.replace(/"total_files":0\b/, '"total_files":-0') }),
  like('other messages in error_message', inErrors({ error_message: 'No.' })),
  like('messages in other languages', inErrors({ error_message: 'Запрос: 拒否 – "nein".' })),
  like('details of each error', inErrors({}, { error_details: { help: '/docs' } })),
  like('times with six digits of a second', times('"$1T$2000Z"')),
  like('times with the offset +00:00', times('"$1T$2+00:00"')),
  like('t and z in lower case in times', times('"$1t$2z"')),
];

function shuffled(names: string[]): string[] {
  return names
    .map((name) => [Math.random(), name] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, name]) => name);
}

const ofType = (value: string): Edits => ({
  headers: { 'content-type': (present) => (present.startsWith('image/') ? present : value) },
});
const named = (spell: (name: string) => string): Edits => ({
  remember: () => (response) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [spell(name), value])),
  }),
});
const oddCase = (name: string) => Array.from(name, (letter, at) => (at % 2 ? letter.toUpperCase() : letter)).join('');
const spaced: HeaderEdit = (value) => value.replaceAll(';', '; ');
const inTwoLines: HeaderEdit = (value) => [value.split(', ')[0] ?? '', value.split(', ').slice(1).join(', ')];
const anHourAhead = () => new Date(Date.now() + 3_600_000).toUTCString();
const otherId = () => `req_${Math.random().toString(36).slice(2)}~1`;

const headerRows = [
  like('the media type without a charset', ofType('application/json')),
  like('the media type in mixed case', ofType('Application/JSON; Charset=UTF-8')),
  like('the charset quoted', ofType('application/json; charset="utf-8"')),
  like('more space in the media type', ofType('application/json \t;  charset=utf-8')),
  like('a semicolon after the media type', ofType('application/json; charset=utf-8;')),
  // A published file has an ETag of its own.
  row('headers that servers and gateways add', ['*', (request) => operationOf(request) !== 'none'], {
    headers: {
      ...{ server: 'nginx/1.27.0', 'x-powered-by': 'PHP', 'referrer-policy': 'no-referrer' },
      ...{ via: '1.1 a, 1.1 b', age: '0', 'x-cache': 'MISS', etag: '"a"', vary: ['Accept-Encoding', 'Origin'] },
      'set-cookie': ['lb=a; Path=/; HttpOnly', 'b=c'],
      'x-amzn-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    },
  }),
  like('Date an hour ahead', { headers: { date: anHourAhead } }),
  like('Upgrade names other protocols', sets('upgrade', 'h2c, websocket')),
  like('CF-Ray on each response, and Server-Timing on every third', {
    remember: () => {
      let passed = 0;
      return (response) => {
        passed += 1;
        response.headers['cf-ray'] = `${passed.toString(16).padStart(16, '0')}-LHR`;
        if (passed % 3 === 0) response.headers['server-timing'] = 'app;dur=2';
        return response;
      };
    },
  }),
  like('CORS headers and preflight responses for one origin', (response, request) => {
    const [origin] = headerValues(request, 'origin');
    const [asked] = headerValues(request, 'access-control-request-method');
    const isListed = origin === 'https://listed.example';
    const allowed = { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'X-Request-Id' };
    if (request.method === 'OPTIONS' && isListed && asked !== undefined)
      return { status: 204, headers: { ...allowed, 'access-control-allow-methods': asked }, body: '' };
    Object.assign(response.headers, { vary: 'Origin' }, isListed && allowed);
    return response;
  }),
  row('request ids of another form', ['*', hasNoAuditEntry], { headers: { 'x-request-id': otherId } }),
  like('every second letter in upper case', named(oddCase)),
  like('headers in reverse order', (response) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(response.headers).toReversed()),
  })),
  like('spaces in RateLimit and RateLimit-Policy', { headers: { ratelimit: spaced, 'ratelimit-policy': spaced } }),
  like('Cache-Control in another case', { headers: { 'cache-control': () => 'Cache-Control in another case' } }),
  like('more space in the challenge', { headers: { 'www-authenticate': (value) => value.replaceAll(', ', ' ,  ') } }),
  like('the methods of Allow in reverse order, without spaces', {
    headers: { allow: (value) => value.split(', ').toReversed().join() },
  }),
  like('Allow as two headers', { headers: { allow: inTwoLines } }),
];

/** The request id is kept where one was sent, and is in the audit entry of an update. */
function hasNoAuditEntry(request: ProxiedRequest): boolean {
  return headerValues(request, 'x-request-id').length === 0 && !isUpdate(request);
}

export const harmlessVariants: readonly Mutant[] = breaking('', [...jsonRows, ...headerRows, ...connectionRows]);

const names = new Set(harmlessVariants.map(({ name }) => name));

/** Whether the server of this name conforms, in whatever condition. */
export function isHarmless(name: string): boolean {
  return names.has(name.split(' ')[0] ?? '');
}
