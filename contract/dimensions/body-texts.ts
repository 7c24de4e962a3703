/** Bodies as bytes: what is not JSON, what is JSON in another spelling, and other media types. All made from a valid JSON text. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Header } from '../own-api/requests.ts';

type Bytes = string | Buffer;

const depth = 1000;

/** Texts that no parser of JSON accepts (RFC 8259). @param text a valid object */
export function notJson(text: string): Readonly<Record<string, Bytes>> {
  const inner = text.slice(1, -1);
  const literal = (value: string) => text.replace(/:(?!.*:).*}$/s, `:${value}}`);
  return {
    blank: ' ',
    truncated: text.slice(0, -1),
    'first byte': text.slice(0, 1),
    word: 'text',
    'single quotes': text.includes('"') ? text.replaceAll('"', "'") : "'text'",
    'a comment after': `${text} // comment`,
    'a comment before': `/**/${text}`,
    'a trailing comma': `${text.slice(0, -1)},${text.slice(-1)}`,
    'a brace too many': `${text}}`,
    'names without quotes': text.replace(/"(\w+)":/g, '$1:'),
    'arrows in place of colons': text.replace(':', '=>'),
    'a semicolon at the end': `{${inner};}`,
    yaml: inner.replaceAll('"', '').replace(':', ': '),
    NaN: literal('NaN'),
    Infinity: literal('Infinity'),
    undefined: literal('undefined'),
    True: literal('True'),
    hexadecimal: literal('0x1'),
    'a leading zero': literal('01'),
    'content after': `${text} x`,
    'two documents': text + text,
    'two lines': `${text}\n${text}`,
    xml: '<enabled>true</enabled>',
    'a form': 'enabled=true',
    'nested without end': '['.repeat(depth),
    'a zero byte before': `\0${text}`,
    'a zero byte after': `${text}\0`,
    'a form feed before': `\f${text}`,
    'a no-break space before': `\u00a0${text}`,
    'an em space within': text.replace(':', ':\u2003'),
    'a byte that is not UTF-8 after': Buffer.concat([Buffer.from(text), Buffer.from([0xff])]),
    'a name that is not UTF-8': Buffer.concat([
      Buffer.from('{"'),
      Buffer.from([0xff, 0xc0, 0x80]),
      Buffer.from('":1}'),
    ]),
    'UTF-16': Buffer.from(text, 'utf16le'),
  };
}

/** The same value in other spellings; the last two follow from decision D12. */
export function otherSpellings(text: string): Readonly<Record<string, string>> {
  const [, first = 'a'] = /"(\w+)":/.exec(text) ?? [];
  const other = /:\s*(true|false)/.exec(text)?.[1] === 'true' ? 'false' : 'true';
  return {
    indented: JSON.stringify(JSON.parse(text), undefined, 2),
    'white space around': ` \t\r\n${text}\r\n`,
    'names with escapes': text.replace(
      /"(\w)/g,
      (_all, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`,
    ),
    '8 KiB of white space': text.padEnd(8192),
    'a byte order mark': `\u{FEFF}${text}`,
    'a repeated name, of which the last counts': text.replace('{', `{"${first}":${other},`),
  };
}

const type = (value: string): Header => ['Content-Type', value];

/** Headers that describe a JSON body as it is. */
export const jsonTypes: Readonly<Record<string, readonly Header[]>> = {
  'in capitals': [type('APPLICATION/JSON')],
  'with a charset': [type('application/json; charset=utf-8')],
  'with a charset in capitals': [type('application/json;charset=UTF-8')],
  'with a quoted charset': [type('application/json; charset="utf-8"')],
  'with CHARSET': [type('application/json; CHARSET=utf-8')],
  'with another parameter': [type('application/json; version=1')],
  'with two parameters': [type('application/json;profile=x;a=b; charset=utf-8')],
  'with the coding identity': [type('application/json'), ['Content-Encoding', 'identity']],
};

/** Headers, and the body where it is another, with which a JSON body is not supported (decision D13). */
export function otherTypes(text: string): Readonly<Record<string, readonly [headers: readonly Header[], body: Bytes]>> {
  const of = (value: string, body: Bytes = text) => [[type(value)], body] as const;
  const coded = (coding: string, body: Bytes = text) =>
    [[type('application/json'), ['Content-Encoding', coding]], body] as const;
  return {
    'no media type': [[], text],
    text: of('text/plain'),
    'a form': of('application/x-www-form-urlencoded', 'enabled=true'),
    'a form of JSON': of('application/x-www-form-urlencoded'),
    multipart: of('multipart/form-data; boundary=boundary'),
    xml: of('application/xml'),
    binary: of('application/octet-stream'),
    jsonx: of('application/jsonx'),
    'json-seq': of('application/json-seq'),
    'vendor JSON': of('application/vnd.api+json'),
    'JSON patch': of('application/json-patch+json'),
    'text/json': of('text/json'),
    'no subtype': of('application/'),
    'no type': of('json'),
    wildcard: of('*/*'),
    'an empty type': of(''),
    'a parameter alone': of('; charset=utf-8'),
    'two types': of('application/json, text/plain'),
    'UTF-16': of('application/json; charset=utf-16', Buffer.from(text, 'utf16le')),
    'UTF-16 in name alone': of('application/json; Charset=UTF-16LE'),
    'Latin-1': of('application/json; charset=iso-8859-1'),
    'UTF-7': of('application/json; v=1; charset=utf-7'),
    gzip: coded('gzip', gzipSync(text)),
    'gzip in name alone': coded('gzip'),
    deflate: coded('deflate', deflateSync(text)),
    br: coded('br', brotliCompressSync(text)),
    'an unknown coding': coded('unknown'),
    'two codings': [
      [type('application/json'), ['Content-Encoding', 'identity'], ['Content-Encoding', 'gzip']],
      gzipSync(text),
    ],
  };
}

/** Names of fields and values that a lenient server would take for others. @param name the name of a field */
export function likeTheField(name: string, value: unknown): Readonly<Record<string, string>> {
  const text = JSON.stringify(value);
  const extra = [
    '$where',
    '$set',
    'prototype',
    '__defineGetter__',
    'toJSON',
    'then',
    '_id',
    'role',
    'permissions',
    'organisation_id',
    'force',
  ];
  const instead = [`${name} `, ` ${name}`, `${name}\\u0000`, `${name}[]`, `/${name}`, `\\u0435${name.slice(1)}`];
  return {
    ...Object.fromEntries(extra.map((each) => [`the field ${each}`, `{"${each}":${text},"${name}":${text}}`])),
    ...Object.fromEntries(instead.map((each) => [`the field ${JSON.stringify(each)} instead`, `{"${each}":${text}}`])),
    ...Object.fromEntries(
      ['__proto__', '$set', 'data'].map((each) => [`the field within ${each}`, `{"${each}":{"${name}":${text}}}`]),
    ),
    'the value in an operator': `{"${name}":{"$eq":${text}}}`,
    'the value with a space': `{"${name}":"${String(value)} "}`,
    'the value nested deeply': `{"${name}":${'['.repeat(3000)}${text}${']'.repeat(3000)}}`,
    'a repeated name, of which the last is null': `{"${name}":${text},"${name}":null}`,
  };
}
