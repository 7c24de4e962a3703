import fc from 'fast-check';
import type { Schema } from '../../document.js';
import { mutationsOf } from '../schema/mutations.js';

/** Below any limit that a body may have. */
const longestText = 4096;

const oneCharacterOf = (characters: string) => fc.constantFrom(...Array.from(characters));
const headerText = fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.trim());

/** JSON texts of every kind: any value, the valid body with random fields in it, and its mutations. */
export function jsonTexts(schema: Schema, valid: unknown): fc.Arbitrary<string> {
  const isObject = typeof valid === 'object' && valid !== null && !Array.isArray(valid);
  const properties = isObject ? Object.keys(schema.properties ?? {}) : [];
  const mutations = mutationsOf(schema, valid).filter(({ lacks }) => lacks === undefined);
  const leaf = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.boolean());
  const changed = fc
    .tuple(
      fc.record(Object.fromEntries(properties.map((name) => [name, leaf])), { requiredKeys: [] }),
      fc.dictionary(fc.string({ maxLength: 10 }), leaf, { maxKeys: 2 }),
    )
    .map(([known, extra]) =>
      Object.fromEntries([...Object.entries(valid as object), ...Object.entries({ ...extra, ...known })]),
    );
  const values: fc.Arbitrary<unknown>[] = [
    fc.jsonValue(),
    fc.constantFrom(...mutations.map(({ value }) => value)),
    ...(isObject ? [changed] : []),
  ];
  return fc
    .tuple(fc.oneof(...values), fc.constantFrom(0, 1, 2))
    .map(([value, space]) => JSON.stringify(value, undefined, space))
    .filter((text) => text.length <= longestText);
}

/** Headers that no operation documents and that must not matter. */
export const idleHeaders: fc.Arbitrary<[name: string, value: string][]> = fc
  .record(
    {
      Accept: fc.constantFrom(
        '*/*',
        'text/html',
        'application/xml;q=0.9',
        'application/json;q=0',
        'image/*',
        'nonsense',
      ),
      'Accept-Language': fc.constantFrom('de', 'fr-CA, en;q=0.5', '*', 'x'.repeat(100)),
      'Accept-Charset': fc.constantFrom('utf-16', 'iso-8859-1;q=0.5'),
      'X-Forwarded-For': fc.oneof(fc.ipV4(), fc.ipV6(), headerText),
      'X-Forwarded-Host': fc.domain(),
      'X-Forwarded-Proto': fc.constantFrom('http', 'https', 'ftp'),
      'X-Original-URL': fc.webPath(),
      'X-Rewrite-URL': fc.webPath(),
      'X-HTTP-Method-Override': fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'),
      'If-None-Match': fc.oneof(fc.constantFrom('*', '"etag"', 'W/"etag"'), headerText),
      'If-Match': fc.constantFrom('*', '"etag"'),
      'If-Modified-Since': fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 2049 23:59:59 GMT', 'never'),
      Range: fc.constantFrom('bytes=0-0', 'bytes=-1', 'items=0-1'),
      Origin: fc.constantFrom('null', 'https://attacker.example'),
      Cookie: headerText,
      Prefer: fc.constantFrom('return=minimal', 'respond-async'),
      'User-Agent': headerText,
      'X-Unknown': headerText,
    },
    { requiredKeys: [] },
  )
  .map((headers) => Object.entries(headers).flatMap(([name, value]) => [[name, value]]));

/** Query strings of random parameters that no operation documents. */
export const idleQueries: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.tuple(fc.string({ unit: 'binary', maxLength: 10 }), fc.string({ unit: 'binary', maxLength: 10 })), {
      maxLength: 5,
    })
    .map((pairs) =>
      pairs.map(([name, value]) => `_${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
    ),
  fc.string({ unit: oneCharacterOf('abc019%&=+;,:@/?[]{}~*!$()._-'), maxLength: 30 }).map((text) => `_${text}`),
);

/** Identifiers as path segments: any text percent-encoded, and any printable text as it is. */
export const segments: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(encodeURIComponent),
    fc.string({ unit: oneCharacterOf('abcdef0123456789%-._~!$&()*+,;=:@'), minLength: 1, maxLength: 40 }),
    fc.uuid(),
  )
  .filter((segment) => !/^\.{1,2}$/.test(segment));

/** Texts that can stand in a header and are no credential. */
export const noCredentials: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 }).map((text) => text.trim()),
  fc.base64String({ minLength: 20, maxLength: 80 }),
  fc.uuid(),
);
