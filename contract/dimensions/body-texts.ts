/** Bodies as bytes: what is not JSON, what is JSON in another spelling, and other media types. All made from a valid JSON text. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Headers } from './credential-scheme.ts';

type Bytes = string | Buffer;

const bytesBeside = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const firstNameOf = (text: string) => /"(\w+)":/.exec(text)?.[1] ?? 'a';

/** What a lenient parser may pass over before a JSON text, and after it. */
const before = ['/**/', '\0', '\f', '\u00a0'];
const after = [' // comment', '}', ' x', '\0', ';'];

/** Texts in place of a value that no parser of JSON accepts. */
const wrongLiterals = ['NaN', 'Infinity', 'undefined', 'True', '0x1', '01', '+1', '1.', "'a'", '"\t"', '"\\x41"'];

/** Texts that no parser of JSON accepts (RFC 8259). @param text a valid object */
export function notJson(text: string): Readonly<Record<string, Bytes>> {
  const inner = text.slice(1, -1);
  const name = firstNameOf(text);
  const literal = (value: string) => text.replace(/:(?!.*:).*}$/s, `:${value}}`);
  return {
    blank: ' ',
    truncated: text.slice(0, -1),
    'first byte': text.slice(0, 1),
    word: 'text',
    'single quotes': text.includes('"') ? text.replaceAll('"', "'") : "'text'",
    'a trailing comma': `${text.slice(0, -1)},${text.slice(-1)}`,
    'names without quotes': text.replace(/"(\w+)":/g, '$1:'),
    'arrows in place of colons': text.replace(':', '=>'),
    'a semicolon at the end': `{${inner};}`,
    yaml: inner.replaceAll('"', '').replace(':', ': '),
    ...Object.fromEntries(wrongLiterals.map((value) => [`the value ${JSON.stringify(value)}`, literal(value)])),
    'two documents': text + text,
    'two lines': `${text}\n${text}`,
    xml: `<${name}>true</${name}>`,
    'a form': `${name}=true`,
    'nested without end': '['.repeat(1000),
    ...Object.fromEntries(before.map((added) => [`the text after ${JSON.stringify(added)}`, added + text])),
    ...Object.fromEntries(after.map((added) => [`the text before ${JSON.stringify(added)}`, text + added])),
    'an em space within': text.replace(':', ':\u2003'),
    'a byte that is not UTF-8 after': bytesBeside(text, [0xff]),
    'a name that is not UTF-8': bytesBeside('{"', [0xff, 0xc0, 0x80], '":1}'),
    'UTF-16': Buffer.from(text, 'utf16le'),
  };
}

/** Other spellings of the same value; the last two follow from decision D12. */
export const otherSpellings: Readonly<Record<string, (text: string) => string>> = {
  indented: (text) => JSON.stringify(JSON.parse(text), undefined, 2),
  'white space around each token': (text) =>
    text.replaceAll(/("(?:[^"\\]|\\.)*")|[{}[\]:,]/g, (token, string) =>
      string === undefined ? ` ${token}\t` : token,
    ),
  'white space around': (text) => ` \t\r\n${text}\r\n`,
  'names with escapes': escapedNames,
  ...Object.fromEntries(
    [1024, 4096, 8192, 16_384].map((size) => [`${size} bytes with white space`, (text: string) => text.padEnd(size)]),
  ),
  '9000 bytes with white space first': (text) => text.padStart(9000),
  'a byte order mark': (text) => `\u{FEFF}${text}`,
  'a repeated name, of which the last counts': (text) => {
    const other = /:\s*(true|false)/.exec(text)?.[1] === 'true' ? 'false' : 'true';
    return text.replace('{', `{"${firstNameOf(text)}":${other},`);
  },
};

/** The same JSON with the first letter of each string as an escape. */
export function escapedNames(text: string): string {
  return text.replace(/"(\w)/g, (_all, letter: string) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const typed = (type: string, ...more: Headers): Headers => [['Content-Type', type], ...more];
const coding = (name: string) => ['Content-Encoding', name] as const;
const json = 'application/json';

/** Headers that describe a JSON body as it is. */
export const jsonTypes: Readonly<Record<string, Headers>> = {
  'in capitals': typed('APPLICATION/JSON'),
  'with a charset': typed('application/json; charset=utf-8'),
  'with a charset in capitals': typed('application/json;charset=UTF-8'),
  'with a quoted charset': typed('application/json; charset="utf-8"'),
  'with CHARSET': typed('application/json; CHARSET=utf-8'),
  'with white space around the semicolon': typed('application/json \t; charset=utf-8'),
  'with another parameter': typed('application/json; version=1'),
  'with two parameters': typed('application/json;profile="x;y";a=b; charset=utf-8'),
  'with the coding identity': typed(json, coding('identity')),
};

/** Media types with which a JSON body is not supported (decision D13). */
const unsupported = [
  ...[
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=boundary',
    'application/xml',
  ],
  ...['application/octet-stream', 'application/jsonx', 'application/json-seq', 'application/vnd.api+json', 'text/json'],
  ...['application/json-patch+json', 'application/', 'json', '*/*', '', '; charset=utf-8', `${json}, text/plain`],
  ...['Charset=UTF-16LE', 'charset=iso-8859-1', 'v=1; charset=utf-7'].map((parameters) => `${json}; ${parameters}`),
];

/** Headers, and the body where it is another, with which a JSON body is not supported. */
export function otherTypes(text: string): Readonly<Record<string, readonly [headers: Headers, body: Bytes]>> {
  return {
    'no media type': [[], text],
    'a form': [typed('application/x-www-form-urlencoded'), `${firstNameOf(text)}=true`],
    ...Object.fromEntries(unsupported.map((type) => [type || 'an empty type', [typed(type), text]])),
    'UTF-16': [typed('application/json; charset=utf-16'), Buffer.from(text, 'utf16le')],
    gzip: [typed(json, coding('gzip')), gzipSync(text)],
    'gzip in name alone': [typed(json, coding('gzip')), text],
    deflate: [typed(json, coding('deflate')), deflateSync(text)],
    br: [typed(json, coding('br')), brotliCompressSync(text)],
    'an unknown coding': [typed(json, coding('unknown')), text],
    'two codings': [typed(json, coding('identity'), coding('gzip')), gzipSync(text)],
  };
}

/** Fields that frameworks and databases give a meaning, and those that this API's data has elsewhere. */
const meaningful = [
  '$schema',
  '@context',
  '_links',
  '$where',
  '$set',
  'prototype',
  '__defineGetter__',
  'toJSON',
  'then',
  '_id',
];
const ofOtherData = ['id', 'role', 'permissions', 'organisation_id', 'updated_at', 'force'];
/** Names that are spelt otherwise in a page, in a path, or in a JSON Pointer (RFC 6901). */
const escaped = ['a<b&c', "a'b", 'a.b', 'a b', 'a/b~c'];

const deepest = 3000;

/** Bodies that a lenient server would take for an update. @param name the name of a field of the body, with its valid value */
export function similarBodies(name: string, value: unknown): Readonly<Record<string, string>> {
  const text = JSON.stringify(value);
  const instead = [`${name} `, ` ${name}`, `${name}\\u0000`, `${name}[]`, `/${name}`, `\\u0435${name.slice(1)}`];
  const beside = [...meaningful, ...ofOtherData, ...escaped, '\\ud800', 'x'.repeat(2000)];
  const named = (each: string) => (each.length > 100 ? `of ${each.length} characters` : each);
  return {
    ...Object.fromEntries(beside.map((each) => [`the field ${named(each)}`, `{"${each}":${text},"${name}":${text}}`])),
    ...Object.fromEntries(instead.map((each) => [`the field ${JSON.stringify(each)} instead`, `{"${each}":${text}}`])),
    ...Object.fromEntries(
      ['__proto__', '$set', 'data'].map((each) => [`the field within ${each}`, `{"${each}":{"${name}":${text}}}`]),
    ),
    '1300 other fields': `{${Array.from({ length: 1300 }, (_none, index) => `"f${index}":0,`).join('')}"${name}":${text}}`,
    'the value in an operator': `{"${name}":{"$eq":${text}}}`,
    'the value with a space': `{"${name}":"${String(value)} "}`,
    'the value nested deeply': `{"${name}":${'['.repeat(deepest)}${text}${']'.repeat(deepest)}}`,
    'a number beyond the range of doubles': `{"${name}":1e999}`,
    'a number of 400 digits': `{"${name}":${'9'.repeat(400)}}`,
    'a string of 10,000 characters': `{"${name}":"${'x'.repeat(10_000)}"}`,
    'a name repeated 200 times, the last time with null': `{${`"${name}":${text},`.repeat(200)}"${name}":null}`,
  };
}
