/** Requests in the words of the contract suite's dimensions, with junk in places. */
import fc, { type Arbitrary } from 'fast-check';
import { jsonTypes, notJson, otherSpellings, otherTypes } from '../../../contract/dimensions/body-texts.ts';
import { headerGroups } from '../../../contract/dimensions/headers.ts';
import { pathVariants, unknownPaths } from '../../../contract/dimensions/paths.ts';
import { oneOf, type OpenTarget } from '../fuzz-target.ts';
import { startFuzzedServer } from './fuzzed-server.ts';

const milliseconds = 2000;
const settingPath = '/organisations/features/verification';
const enabling = '{"enabled":true}';
const latin1 = (bytes: string | Buffer) => Buffer.from(bytes as string).toString('latin1');

const junk = fc.stringMatching(/^[aZ09 \t"\\/%._~+=,;:*()<>[\]{}é\0\x7f-]{0,40}$/);
const often = <Value>(usual: Value, ...others: Arbitrary<Value>[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
const joined = (separator: string, part: Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((parts) => parts.join(separator));

type Header = readonly [name: string, value: string];

const base64Part = fc
  .oneof(fc.json({ maxDepth: 2 }), oneOf('{"alg":"ES256","typ":"at+jwt","kid":"k"}|{"alg":"none"}|{}'))
  .map((text) => Buffer.from(text).toString('base64url'));
const forgedToken = joined('.', fc.oneof(base64Part, base64Part, oneOf('|c2ln|.x')), 3);
const token = fc
  .tuple(
    often('Bearer ', oneOf('bearer |BEARER  |Basic |Bearer, |')),
    often('{token}', oneOf('{jwt}|{key}'), forgedToken),
  )
  .map((parts) => parts.join(''));

/** Values of headers that have a meaning here, or to HTTP. */
const meant: Readonly<Record<string, Arbitrary<string>>> = {
  'x-api-key': often('{key}', oneOf('{token}|{key} |"{key}"|{key},{key}')),
  authorization: token,
  'X-Request-Id': oneOf('{key}|x{token}'),
  connection: oneOf('close|keep-alive|upgrade|x-api-key'),
  upgrade: oneOf('websocket|h2c'),
  expect: oneOf('100-continue|200-ok'),
  host: oneOf('a|'),
};
const others = headerGroups.flatMap(({ anyApi = [], ownApi = [] }) => [...anyApi, ...ownApi]);
const types = [...Object.values(jsonTypes), ...Object.values(otherTypes(enabling)).map(([headers]) => headers)].flat();
const field: Arbitrary<Header> = fc.oneof(
  ...Object.entries(meant).map(([name, value]) => fc.tuple(fc.constant(name), fc.oneof(value, junk))),
  fc.constantFrom(...others).chain(([names, ...values]) => {
    return fc.tuple(oneOf(names.replaceAll(' ', '|')), fc.oneof(fc.constantFrom(...values), junk));
  }),
  fc.tuple(fc.constant('content-type'), junk),
  fc.constantFrom(...types),
);

const targets = [
  ...['/cases/{case}', '/thumbnails/{thumbnail}', '/thumbnails/', '*', `http://a${settingPath}`, '/cases/', '//'],
  ...[settingPath, '/cases/{case}'].flatMap((path) => Object.values(pathVariants(path, path))),
  ...Object.values(unknownPaths),
];
const target = often(
  settingPath,
  fc.constantFrom(...targets),
  junk.map((path) => `/${path}`),
  fc.tuple(oneOf(`${settingPath}|/cases/{case}`), junk).map(([path, query]) => `${path}?${query}`),
);

const texts = [
  enabling,
  ...Object.values(notJson(enabling)),
  ...Object.values(otherSpellings).map((of) => of(enabling)),
];
const value = fc.oneof(fc.json({ maxDepth: 3 }), oneOf('true|false|1|null|1e400|"\\ud800"'));
const member = fc
  .tuple(oneOf('"enabled"|"__proto__"|"constructor"|""|"enab\\u006ced"|"a.b[0]"'), value)
  .map((parts) => parts.join(':'));
const jsonBody = fc.oneof(
  fc.constantFrom(...texts).map(latin1),
  fc
    .oneof(
      joined(',', member, 4).map((members) => `{${members}}`),
      value,
    )
    .map(latin1),
  junk.map(latin1),
  fc.tuple(oneOf('[|{"a":|"\\'), fc.nat({ max: 9000 })).map(([unit, times]) => unit.repeat(times)),
);

/** The body with what announces its length, which may lie. */
const framed = jsonBody.chain((bytes) => {
  const chunk = `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
  const length = fc.oneof(fc.constant(String(bytes.length)), oneOf('-1|0|99999999999999999999|1 |+1|16385|0x1|5, 5'));
  const coding = fc.oneof(fc.constant('chunked'), oneOf('gzip, chunked|chunked, chunked|identity'));
  return fc.oneof(
    { weight: 3, arbitrary: length.map((text) => [['content-length', text] as Header, bytes] as const) },
    coding.map((text) => [['transfer-encoding', text] as Header, `${chunk}0\r\n\r\n`] as const),
  );
});

const head = (method: Arbitrary<string>, headers: Arbitrary<readonly Header[]>) =>
  fc
    .tuple(
      method,
      target,
      headers,
      fc.oneof({ weight: 40, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r')),
    )
    .map(([name, path, fields, end]) =>
      [`${name} ${path} HTTP/1.1`, 'Host: a', ...fields.map((parts) => parts.join(': ')), '', ''].join(end),
    );

const methods = often('GET', oneOf('HEAD|PUT|POST|OPTIONS|CONNECT|PATCH|get|PRI|QUERY'));
const requestHead = head(methods, fc.array(field, { maxLength: 6 }));
const requestWithBody = framed.chain(([length, body]) => {
  const [key, type] = [['x-api-key', '{key}'] as Header, ['content-type', 'application/json'] as Header];
  const headers = fc.tuple(often(key, field), often(type, field), fc.constant(length), field);
  return head(often('PUT', oneOf('GET|POST')), headers).map((text) => text + body);
});

/** Takes whole requests, as the bytes of one connection. */
const openRequests =
  (inputs: Arbitrary<string>): OpenTarget =>
  async () => {
    const server = await startFuzzedServer();
    return {
      inputs: inputs.map((text) => Buffer.from(text, 'latin1')),
      milliseconds,
      run: (input) => server.send(Buffer.from(input).toString('latin1')),
    };
  };

/** Request lines and headers: credentials, media types, request ids, addresses, traces, ranges. */
export const openRequestHeads = openRequests(requestHead);

/** Bodies, and what announces them. */
export const openRequestBodies = openRequests(requestWithBody);
