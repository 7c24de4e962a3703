import fc from 'fast-check';
import type { Schema } from '../../document/model.ts';
import { ignoredHeaders } from '../ignored-headers.ts';
import { mutationsOf } from '../schema/mutations.ts';

/** Shorter than the size limit of any body. */
const longestText = 4096;

const oneCharacterOf = (characters: string) => fc.constantFrom(...Array.from(characters));

/** Any Unicode character. fast-check's own unit first lists all of them, which takes longer than most checks. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), codeOf);
const headerText = fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.trim());

/** JSON texts of every kind: any value, the valid body with random fields, and its mutations. */
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

/** Some of the headers that must have no effect, with values that some servers act on, or with random values. */
export const headerLists: fc.Arbitrary<[name: string, value: string][]> = fc
  .record(
    Object.fromEntries(
      Object.entries(ignoredHeaders).map(([name, values]) => [name, fc.oneof(fc.constantFrom(...values), headerText)]),
    ),
    { requiredKeys: [] },
  )
  .map((headers) => Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Query strings of random undocumented parameters. */
export const queries: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(
      fc.tuple(fc.string({ unit: anyCharacter, maxLength: 10 }), fc.string({ unit: anyCharacter, maxLength: 10 })),
      {
        maxLength: 5,
      },
    )
    .map((pairs) =>
      pairs.map(([name, value]) => `_${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
    ),
  fc.string({ unit: oneCharacterOf('abc019%&=+;,:@/?[]{}~*!$()._-'), maxLength: 30 }).map((text) => `_${text}`),
);

/** Identifiers as path segments: any text percent-encoded, and printable text as it is. */
export const segments: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }).map(encodeURIComponent),
    fc.string({ unit: oneCharacterOf('abcdef0123456789%-._~!$&()*+,;=:@'), minLength: 1, maxLength: 40 }),
    fc.uuid(),
  )
  .filter((segment) => !/^\.{1,2}$/.test(segment));

/** Valid header values that are not credentials. */
export const noCredentials: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 }).map((text) => text.trim()),
  fc.base64String({ minLength: 20, maxLength: 80 }),
  fc.uuid(),
);

/** Lets fast-check recognise a text that {@link anyCharacter} makes. */
function codeOf(text: unknown): number {
  const [character, ...others] = typeof text === 'string' ? Array.from(text) : [];
  const code = character?.codePointAt(0);
  if (code === undefined || others.length > 0) throw new Error('not one character');
  return code;
}
