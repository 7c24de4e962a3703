import fc, { type Arbitrary } from 'fast-check';
import type { OpenTarget } from '../fuzz-target.ts';
import { startFuzzedServer } from './fuzzed-server.ts';

const settingPath = '/organisations/features/verification';
const milliseconds = 2000;

const junk = fc.stringMatching(/^[aZ09 \t"\\/%._~+=,;:*()<>[\]{}é\0\x7f-]{0,40}$/);
const often = <Value>(usual: Value, ...others: Arbitrary<Value>[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
const one = (...values: string[]) => fc.constantFrom(...values);
const joined = (separator: string, part: Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((parts) => parts.join(separator));

const base64Part = fc
  .oneof(fc.json({ maxDepth: 2 }), fc.constantFrom('{"alg":"ES256","typ":"at+jwt","kid":"k"}', '{"alg":"none"}', '{}'))
  .map((text) => Buffer.from(text).toString('base64url'));
const forgedToken = fc.tuple(base64Part, base64Part, often('', one('c2ln', '.x'))).map((parts) => parts.join('.'));

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  one('unknown', '10.0.0.1:80', '[::1]:9', '::ffff:1.2.3.4', '1.2.3'),
  junk,
);
const parameter = fc
  .tuple(one('charset', 'q', 'boundary', 'CHARSET'), often('utf-8', one('"utf-8"', '"\\u"', 'latin1', '"', ''), junk))
  .map(([name, value]) => `${name}=${value}`);
const mediaType = fc
  .tuple(
    often('application/json', one('application/JSON', 'text/plain', '*/*', '/', 'application/json '), junk),
    joined(';', parameter, 3),
  )
  .map(([type, parameters]) => (parameters === '' ? type : `${type}; ${parameters}`));

const fields: readonly Arbitrary<readonly [name: string, value: string]>[] = [
  fc.tuple(one('x-api-key', 'X-Api-Key'), often('{key}', one('{token}', '{key} ', '"{key}"', '{key},{key}'), junk)),
  fc.tuple(
    one('authorization'),
    fc
      .tuple(
        often('Bearer', one('bearer', 'BEARER ', 'Basic', 'Bearer,', '')),
        often('{token}', one('{jwt}', '{key}'), forgedToken, junk),
      )
      .map(([scheme, token]) => `${scheme} ${token}`),
  ),
  fc.tuple(one('content-type'), mediaType),
  fc.tuple(one('x-request-id'), often('order-17', one('{key}', 'x{token}'), junk)),
  fc.tuple(one('x-forwarded-for'), joined(', ', address, 6)),
  fc.tuple(
    one('traceparent'),
    often('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', one('ff-0-0-0', '00-'), junk),
  ),
  fc.tuple(one('tracestate', 'accept', 'origin', 'prefer', 'forwarded', 'via', 'cookie'), junk),
  fc.tuple(one('range', 'if-range'), often('bytes=0-1', one('bytes=-1', 'bytes=9-1', 'bytes=0-0,1-1', 'bytes='), junk)),
  fc.tuple(one('if-none-match', 'if-match'), often('*', one('"x"', 'W/"x"', ','), junk)),
  fc.tuple(one('if-modified-since'), often('Mon, 02 Mar 2026 12:00:00 GMT', one('0', '-1'), junk)),
  fc.tuple(one('connection'), one('close', 'keep-alive', 'upgrade', 'x-api-key')),
  fc.tuple(one('upgrade'), one('websocket', 'h2c')),
  fc.tuple(one('expect'), one('100-continue', '200-ok')),
  fc.tuple(one('content-encoding'), one('gzip', 'identity', '')),
  fc.tuple(one('host'), junk),
];
const field = fc.oneof(...fields);
const isHeaderText = (text: string) => !/[\r\n\0]/.test(text);

const segment = fc.oneof(
  one('{case}', '..', '.', '%2e%2e', '%00', '%', '', 'cases', 'x'.repeat(300), '%ff'),
  junk.filter(isHeaderText),
);
const target = often(
  settingPath,
  one(
    '/cases/{case}',
    '/thumbnails/{thumbnail}',
    '/thumbnails/',
    '*',
    `${settingPath}/`,
    '//',
    `http://a${settingPath}`,
    '/cases/',
  ),
  joined('/', segment, 4).map((path) => `/${path}`),
  fc.tuple(one(settingPath, '/cases/{case}'), junk).map(([path, query]) => `${path}?${query}`),
);

const value = fc.oneof(
  fc.json({ maxDepth: 3 }),
  one('true', 'false', '1', '"true"', 'null', '[[[[[]]]]]', '1e400', '"\\ud800"'),
);
const member = fc.tuple(
  one('"enabled"', '"__proto__"', '"constructor"', '""', '"x"', '"enab\\u006ced"', '"a.b[0]"'),
  value,
);
const jsonBody = fc.oneof(
  one('{"enabled":true}', '{"enabled":false}', '', '{', '\ufeff{"enabled":true}', '[]', '{"enabled":true}}'),
  joined(
    ',',
    member.map(([name, given]) => `${name}:${given}`),
    4,
  ).map((members) => `{${members}}`),
  value,
  junk,
  fc.tuple(one('[', '{"a":', '"\\'), fc.nat({ max: 9000 })).map(([unit, times]) => unit.repeat(times)),
);

/** The body with what announces its length, which may lie. */
const framed = jsonBody.chain((text) => {
  const bytes = Buffer.from(text).toString('latin1');
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(['content-length', String(bytes.length), bytes] as const) },
    { weight: 2, arbitrary: fc.constant(['transfer-encoding', 'chunked', `${chunk(bytes)}0\r\n\r\n`] as const) },
    fc.tuple(
      one('content-length'),
      one('-1', '0', '99999999999999999999', '1 ', '+1', '16385', '0x1', '5, 5'),
      fc.constant(bytes),
    ),
    fc.tuple(one('transfer-encoding'), one('gzip, chunked', 'chunked, chunked', 'identity'), fc.constant(chunk(bytes))),
  );
});

const lineEnd = { weight: 40, arbitrary: fc.constant('\r\n') };
const head = (method: Arbitrary<string>, others: Arbitrary<readonly (readonly [string, string])[]>) =>
  fc
    .tuple(method, target, others, fc.oneof(lineEnd, one('\n', '\r')))
    .map(([name, path, headers, end]) =>
      [`${name} ${path} HTTP/1.1`, 'Host: a', ...headers.map(([key, given]) => `${key}: ${given}`), '', ''].join(end),
    );

const methods = often('GET', one('HEAD', 'PUT', 'POST', 'OPTIONS', 'CONNECT', 'PATCH', 'get', 'PRI', 'QUERY'));
const requestHead = head(methods, fc.array(field, { maxLength: 6 }));
const requestWithBody = framed.chain(([name, length, body]) =>
  fc
    .tuple(
      head(
        often('PUT', one('GET', 'POST')),
        fc.tuple(
          often<readonly [string, string]>(['x-api-key', '{key}'], field),
          often<readonly [string, string]>(['content-type', 'application/json'], field),
          fc.constant([name, length] as const),
          field,
        ),
      ),
      fc.constant(body),
    )
    .map((parts) => parts.join('')),
);

/** Takes whole requests, as the bytes of one connection. */
const openRequests =
  (inputs: Arbitrary<string>): OpenTarget =>
  async () => {
    const server = await startFuzzedServer();
    return {
      inputs: inputs.map((text) => Buffer.from(text, 'latin1')),
      milliseconds,
      run: (input) => server.send(Buffer.from(input).toString('latin1')),
      close: server.close,
    };
  };

/** Request lines and headers: credentials, media types, request ids, addresses, traces, ranges. */
export const openRequestHeads = openRequests(requestHead);

/** Bodies, and what announces them. */
export const openRequestBodies = openRequests(requestWithBody);
