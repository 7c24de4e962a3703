/** Values at the edges of a schema, which servers may get wrong. */
import { sampleOf, textsMatching } from '../dimensions/samples.ts';
import type { Schema } from '../document/model.ts';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import { isObject } from '../oracle/json.ts';
import { oracleOf } from '../oracle/schema.ts';
import {
  alternativesOf,
  depending,
  distinct,
  isAnyText,
  isFree,
  letters,
  lineEnds,
  lines,
  mappedSchema,
} from './values.ts';

/** A valid value that servers may get wrong. */
export interface Edge {
  readonly what: string;
  readonly value: unknown;
  /** Whether a server may refuse it though its schema allows it. */
  readonly mayBeRefused: boolean;
  /** Whether a server that accepts it may keep another value. */
  readonly mayChange: boolean;
  /** Lesser values: if the server accepts each of them, it has no reason to refuse this one. */
  readonly lesser?: readonly unknown[] | undefined;
}

/** The most letters of a text. */
const mostLetters = 20_000;

/** The text, cut or filled to what the schema allows in any way of counting letters. */
function fitted(text: string, { minLength = 0, maxLength = 200 }: Schema): string {
  let cut = text;
  while (cut.length > maxLength) cut = Array.from(cut).slice(0, -1).join('');
  return cut.padEnd(minLength, 'x');
}

/** By format, unusual texts that are close to a valid one, each with lesser ones. */
const otherSpellings: Readonly<Record<string, (valid: string) => Readonly<Record<string, readonly string[]>>>> = {
  date: (valid) => {
    const year = Math.ceil(Number(valid.slice(0, 4)) / 4) * 4;
    return { 'a leap day': ['02-29', '02-28', '03-01'].map((day) => `${year}-${day}`) };
  },
  'date-time': (valid) => ({
    'parts of a second': [valid.replace(/(:\d\d:\d\d)(\.\d+)?/, '$1.250'), valid],
    'another time zone': [new Date(Date.parse(valid) + 1_800_000).toISOString().replace(/\.\d+Z$/, '+00:30'), valid],
  }),
  email: (valid) => ({ 'a tag': [valid.replace('@', '+tag@'), valid] }),
};

type Named = readonly (readonly [what: string, value: unknown, lesser?: Edge['lesser']])[];
const named = (values: readonly unknown[]): Named => values.map((value) => [String(value), value]);

/** The edges of a type, of which those count that the schema allows. */
const edgesByType: Readonly<Record<string, (schema: Schema, valid: unknown) => Named>> = {
  boolean: () => named([false, true]),
  string: (schema, valid) => {
    const { minLength, maxLength, format = '' } = schema;
    const others = typeof valid === 'string' ? otherSpellings[format]?.(valid) : undefined;
    if (others) return Object.entries(others).map(([what, [text, ...lesser]]) => [what, text, lesser] as const);
    if (!isAnyText(schema.pattern)) {
      const matching = textsMatching(schema.pattern ?? '', 7, 40).filter((text) => oracleOf(schema)(text).length === 0);
      const [shortest, ...longer] = matching.sort((one, other) => one.length - other.length);
      const [longest, lesser] = [longer.pop(), longer.slice(0, -1).filter((_text, at) => at % 13 === 0)];
      const isVaried = longest !== undefined && longest.length > (shortest?.length ?? 0) && lesser.length > 1;
      const of = [
        ['the longest text of its pattern', longest, lesser],
        ['the shortest text of its pattern', shortest, lesser],
      ] as const;
      return isVaried ? of : [];
    }
    const isBounded = (minLength ?? maxLength) !== undefined;
    const most = maxLength !== undefined && maxLength <= 5000 ? maxLength : 0;
    // A server may forget what is beyond a number; what is longer may be too large for a gateway.
    const long = Math.min(maxLength ?? 0, mostLetters);
    const texts = [
      [long === maxLength ? 'the longest text' : 'a long text', 'x'.repeat(long)],
      ['the longest text, of letters with accents', 'é'.repeat(most)],
      // A length counts characters (JSON Schema Validation, section 6.3.1), whatever it takes to store them.
      ['the longest text, of letters beyond the basic plane', '\u{1f600}'.repeat(most)],
      ...(isBounded ? [['the shortest text', 'x'.repeat(minLength ?? 0)] as const] : []),
      ...letters.map(([what, text]) => [what, fitted(text, schema)] as const),
    ] as const;
    return texts.filter(([, text]) => text !== '' || isBounded);
  },
  integer: ({ minimum, maximum }) => {
    // Where no bound is stated, nobody has thought of zero.
    const bounds = [minimum, maximum].filter((value) => value !== undefined);
    return named([...bounds, ...(bounds.length > 0 ? [0, -1, 1] : [])]);
  },
  number: (schema, valid) => [
    ...(edgesByType['integer']?.(schema, valid) ?? []),
    ...named([19.99, 0.29, 1.1, 4.35, 0.5]),
  ],
  array: ({ items = {}, maxItems = 5, minItems = 0 }, valid) => {
    const [first = sampleOf(items), ...rest] = Array.isArray(valid) ? (valid as unknown[]) : [];
    const ofItem = edgesOf(items, first).filter(({ mayBeRefused }) => !mayBeRefused);
    const texts = ofItem.map(({ value }) => value).filter((value) => typeof value === 'string');
    const lists = items.type === 'string' && !items.enum ? [['b', 'a', 'c'], texts.slice(2), texts.slice(-3)] : [];
    const longest = Array.from({ length: Math.min(maxItems, items.enum?.length ?? 50, 50) }, (_none, n) =>
      distinct(items, n, ''),
    );
    const half = Math.floor(longest.length / 2);
    // Each item has a meaning for the server if it accepts one half and the other.
    const halves = [longest.slice(0, half), longest.slice(half)];
    return [
      ...(minItems === 0 ? [['an empty array', []] as const] : []),
      ...lists.map((list) => ['an array that is not sorted', [...new Set(list)].slice(0, maxItems)] as const),
      ['the longest array', longest, items.pattern === undefined || half < Math.max(1, minItems) ? undefined : halves],
      ...(items.type === 'object' ? ofItem.map(({ what, value }) => [what, [value, ...rest]] as const) : []),
    ];
  },
  object: (schema, valid) => {
    const base = isObject(valid) ? valid : {};
    if (schema.properties)
      return Object.entries(schema.properties).flatMap(([name, field]) => {
        const sure = usableEdges(name, field, base[name]).filter(({ mayBeRefused }) => !mayBeRefused);
        const withField = (value: unknown) => ({ ...base, [name]: value });
        return sure.map(
          ({ what, value, lesser }) => [`${what} in ${name}`, withField(value), lesser?.map(withField)] as const,
        );
      });
    if (schema.additionalProperties === false) return [];
    const value = distinct(mappedSchema(schema), 1, '');
    const most = Math.min(Number(schema['maxProperties'] ?? 0), 50);
    return [
      ['an empty object', {}],
      ['the most names', Object.fromEntries(Array.from({ length: most }, (_none, n) => [`name${n}`, value]))],
      // Names of restricted texts may be restricted, too.
      ...(isAnyText(mappedSchema(schema).pattern)
        ? [['an object with names of all letters', { 'a b': value, 'ключ "é"': value }] as const]
        : []),
    ];
  },
};

/** The edges of a field: the longest, the smallest, null, and letters of all kinds. @param valid a valid value of it */
function edgesOf(schema: Schema, valid: unknown = sampleOf(schema), name = ''): Edge[] {
  const { enum: values, nullable, type = 'object' } = schema;
  const listed = values?.slice(0, 10).map((value) => [`the value ${JSON.stringify(value)}`, value] as const);
  const all: Named = [
    ...(nullable === true ? named([null]) : []),
    ...(listed ?? edgesByType[type]?.(schema, valid) ?? []),
    ...alternativesOf(schema).flatMap((part) => {
      const own = oracleOf(part)(valid).length === 0 ? valid : sampleOf(part);
      const sure = usableEdges(name, part, own).filter(({ mayBeRefused }) => !mayBeRefused);
      const [whole, known] = [fieldsOf(part), requiredFieldsOf(part)];
      // A text of a pattern may have a meaning for the server.
      const isPlain = known.every((each) => whole[each]?.pattern === undefined);
      const inner = sure.map(({ what, value, lesser = [own] }) => [what, value, lesser] as const);
      return [...(isPlain ? [['an alternative', own, undefined] as const] : []), ...inner];
    }),
  ];
  return all
    .map(([what, value, lesser]) => {
      const isNear = lesser !== undefined && otherSpellings[schema.format ?? ''] !== undefined;
      const isOfState = !isNear && depending.test(name);
      const mayChange = isOfState || what === lineEnds;
      return { what, value, lesser, mayChange, mayBeRefused: mayChange || what === lines };
    })
    .filter(({ value }) => oracleOf(schema)(value).length === 0);
}

/** Says how the items of a list stand to one another. */
const arranged = /\b(ascending|descending|ordered|sorted|distinct|differs?|different|overlap\w*|unique)\b/i;

/** Says that a field has the value of something else. */
const bound = /\bmust (?:match|equal|be (?:that|the same|the one|equal))\b/i;

/** The edges that any client may send: of a field whose values may have a meaning for the server, null and long lists. */
export function usableEdges(name: string, field: Schema, valid: unknown): Edge[] {
  if (field['readOnly'] === true || bound.test(String(field['description']))) return [];
  // Not each list has the order, or the difference, that a description asks for.
  if (field.type === 'array' && arranged.test(String(field['description']))) return [];
  const isAny = isFree(name, field);
  return edgesOf(field, valid, name).filter(({ value, lesser }) => isAny || value === null || lesser !== undefined);
}
