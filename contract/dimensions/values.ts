/** The values that a schema allows and forbids: each differs from a valid one in one respect, at any depth, at every bound. */
import { isObject } from '../oracle/json.ts';
import { lenientOracleOf, oracleOf } from '../oracle/schema.ts';
import type { Schema } from '../document/model.ts';
import { composedBy } from '../document/schemas.ts';
import type { SchemaBody } from '../plan/bodies.ts';
import { sampleOf } from './samples.ts';

/** A value made from a valid one by a single change. */
export interface Mutation {
  /** What was changed, as in `address.street.null`. */
  readonly name: string;
  readonly value: unknown;
  /** What is missing from the document to make the mutation. */
  readonly lacks?: string;
}

type Named = Readonly<Record<string, unknown>>;

/** Absent fields are mutated only to this depth, because there can be very many. */
const deepestAbsent = 3;

/** All mutations of a valid value. A recursive schema is followed as deep as the value goes. @param outer the schemas that contain this one */
export function mutationsOf(schema: Schema, valid: unknown, outer: readonly Schema[] = []): Mutation[] {
  const chain = [...outer, schema];
  const wrapped = { 'as-json-string': JSON.stringify(valid), 'in-array': [valid], 'in-object': { value: valid } };
  const whole: Named = {
    ...anyTypes,
    ...wrapped,
    ...ofEnum(schema),
    ...ofString(schema, valid),
    ...ofNumber(schema, valid),
  };
  const found = [
    ...Object.entries(whole).map(([name, value]) => ({ name, value })),
    ...ofArray(schema, valid, chain),
    ...ofObject(schema, valid, chain),
    ...composedOf(schema, valid).flatMap((part) => mutationsOf(part, valid, chain)),
    ...ofAlternatives(schema, valid, chain),
  ];
  const byName = new Map<string, Mutation>();
  for (const each of found) if (!byName.has(each.name)) byName.set(each.name, each);
  return [...byName.values()];
}

const nested = (wrap: (inner: unknown) => unknown) =>
  Array.from({ length: 1000 }).reduce<unknown>((inner) => wrap(inner), []);

/** A value of each JSON type, and strings that a lenient server may convert; made once, as a document may have thousands of schemas. */
const anyTypes: Named = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  integer: 1,
  number: 1.5,
  string: 'some text',
  array: [],
  object: {},
  'empty-string': '',
  ...Object.fromEntries('true false null 1 0 on off yes no'.split(' ').map((text) => [`string-${text}`, text])),
  'nested-arrays': nested((inner) => [inner]),
  'nested-objects': nested((inner) => ({ a: inner })),
};

function ofEnum({ enum: values = [] }: Schema): Named {
  const all = values.map((value, index): Named => {
    const name = `enum-${index + 1}`;
    if (typeof value !== 'string') return { [name]: value };
    const swapped = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
    return { [name]: value, [`${name}-case`]: swapped, [`${name}-space`]: `${value} ` };
  });
  return Object.assign({}, ...all) as Named;
}

/** Bodies with a text that has not its format: a server that takes formats for annotations accepts them. */
export function bodiesOfNoFormat({ schema, faultsOf }: SchemaBody, valid: unknown): Mutation[] {
  const isOfNone = ({ name, value }: Mutation) => /(^|\.)no-[a-z-]+\d?$/.test(name) && faultsOf(value).length > 0;
  return mutationsOf(schema, valid).filter(isOfNone);
}

const notOfFormat: Readonly<Record<string, readonly string[]>> = {
  uuid: ['6f1c2a52-5a7e-4d0b-9c38', '6f1c2a525a7e4d0b9c381f4e8a7b2d10', 'zf1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10'],
  'date-time': ['2026-03-02', '2026-03-02T09:15:00', '2026-02-30T09:15:00Z', '2026-03-02T25:00:00Z', '1772442900'],
  date: ['2026-02-30', '02/03/2026', '2026-3-2', '2026-03-02T09:15:00Z'],
  email: ['name', 'name@', '@example.com', 'a b@example.com'],
  uri: ['example', '//example.com', 'https://a b/'],
  ipv4: ['192.0.2', '192.0.2.256', '2001:db8::1'],
  ipv6: ['192.0.2.1', '2001:db8::1::1'],
};

function ofString({ type, minLength, maxLength, pattern, format }: Schema, valid: unknown): Named {
  if (type !== 'string') return {};
  const text = typeof valid === 'string' ? valid : 'a';
  const ofLength = (length: number) => text.slice(0, length).padEnd(length, 'a');
  return {
    ...(minLength !== undefined && { 'min-length': ofLength(minLength) }),
    ...(minLength !== undefined && minLength > 0 && { 'below-min-length': ofLength(minLength - 1) }),
    ...(maxLength !== undefined && {
      'max-length': ofLength(maxLength),
      'max-length-astral': '\u{1F600}'.repeat(maxLength),
      'above-max-length': ofLength(maxLength + 1),
    }),
    ...((pattern ?? format) !== undefined && {
      'space-before': ` ${text}`,
      'space-after': `${text} `,
      'line-after': `${text}\n`,
      'cut-short': text.slice(0, -1),
      'more-after': `${text}~x`,
      'more-before': `x~${text}`,
    }),
    ...(pattern !== undefined && {
      'in-capitals': text.toUpperCase(),
      'in-small-letters': text.toLowerCase(),
      ...withOtherLetter(text, pattern),
    }),
    ...(format !== undefined && { 'no-format': `not a ${format}` }),
    ...Object.fromEntries(
      (notOfFormat[format ?? ''] ?? []).map((value, index) => [`no-${format}-${index + 1}`, value]),
    ),
  };
}

/** The text with another letter or digit in place of its last one, of those that the pattern leaves out. */
function withOtherLetter(text: string, pattern: string): Named {
  const [start, last] = [text.slice(0, -1), text.slice(-1)];
  const like = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz', '0123456789'];
  const others = (/[A-Za-z\d]/.test(last) ? like : []).map((all) =>
    Array.from(all, (letter) => start + letter).find((each) => oracleOf({ pattern })(each).length > 0),
  );
  return Object.fromEntries(
    others.flatMap((each, at) => (each === undefined ? [] : [[`other-letter-${at + 1}`, each]])),
  );
}

function ofNumber(schema: Schema, valid: unknown): Named {
  const { type, minimum, maximum } = schema;
  if (type !== 'integer' && type !== 'number') return {};
  const multipleOf = schema['multipleOf'] as number | undefined;
  const number = typeof valid === 'number' ? valid : (minimum ?? 1);
  const step = multipleOf ?? (type === 'integer' ? 1 : 0.001);
  return {
    'as-string': String(number),
    ...(type === 'integer' && { fraction: number + 0.5 > (maximum ?? Infinity) ? number - 0.5 : number + 0.5 }),
    ...(multipleOf !== undefined && { 'not-multiple': number + multipleOf / 2 }),
    ...(minimum !== undefined && { minimum, 'above-minimum': minimum + step, 'below-minimum': minimum - step }),
    ...(maximum !== undefined && { maximum, 'below-maximum': maximum - step, 'above-maximum': maximum + step }),
    ...(schema.format === 'int32' && { 'above-int32': 2 ** 31, 'below-int32': -(2 ** 31) - 1 }),
  };
}

function ofArray(schema: Schema, valid: unknown, chain: readonly Schema[]): Mutation[] {
  if (schema.type !== 'array' || !Array.isArray(valid)) return [];
  const { items = {}, minItems, maxItems } = schema;
  const [first = sampleOf(items), ...rest] = valid as unknown[];
  const ofItem = valid.length === 0 && chain.includes(items) ? [] : ofPart('0', items, first, chain);
  const ofLength = (length: number) => Array.from({ length }, () => first);
  const whole: Named = {
    ...(minItems !== undefined && { 'min-items': ofLength(minItems), 'below-min-items': ofLength(minItems - 1) }),
    ...(maxItems !== undefined && { 'max-items': ofLength(maxItems), 'above-max-items': ofLength(maxItems + 1) }),
    ...(schema['uniqueItems'] === true && { 'repeated-item': [first, first] }),
  };
  return [
    ...Object.entries(whole).map(([name, value]) => ({ name, value })),
    ...ofItem.map((each) => ({ ...each, value: [each.value, ...rest] })),
  ];
}

function ofObject(schema: Schema, valid: unknown, chain: readonly Schema[]): Mutation[] {
  if (!isObject(valid)) return [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    // Clients do not send read-only fields.
    if (property['readOnly'] === true) return [];
    const isGiven = Object.hasOwn(valid, name);
    if (!isGiven && (chain.includes(property) || chain.length > deepestAbsent)) return [];
    const parts = ofPart(name, property, isGiven ? valid[name] : sampleOf(property), chain);
    return parts.map((each) => ({ ...each, value: withFields(valid, { [name]: each.value }) }));
  });
  return [...withoutRequired(schema, valid), ...withOthers(schema, valid), ...fields];
}

/** Mutations of a part, if it is valid: those of an invalid part show nothing. */
function ofPart(part: string, schema: Schema, value: unknown, chain: readonly Schema[]): Mutation[] {
  const all: Mutation[] =
    oracleOf(schema)(value).length === 0
      ? mutationsOf(schema, value, chain)
      : [{ name: 'violations', value: undefined, lacks: 'a valid example of each field of the body' }];
  return all.map((each) => ({ ...each, name: `${part}.${each.name}` }));
}

function withoutRequired({ required = [] }: Schema, valid: object): Mutation[] {
  const each = required.map((name) => ({ name: `${name}.missing`, value: withFields(valid, {}, [name]) }));
  return required.length > 1 ? [...each, { name: 'all-missing', value: withFields(valid, {}, required) }] : each;
}

const extraNames = ['unexpected', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '$ref', '0'];

/** The object with each of many undeclared fields, if its schema forbids them. */
function withOthers(schema: Schema, valid: Record<string, unknown>): Mutation[] {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties !== false && schema['unevaluatedProperties'] !== false) return [];
  const extra = (name: string, added: Record<string, unknown>): Mutation => ({
    name: `extra-field.${name}`,
    value: withFields(valid, added),
  });
  return [
    ...extraNames.map((name) => extra(name === '' ? 'empty-name' : name, { [name]: {} })),
    extra('null', { unexpected: null }),
    extra('two', { first: 1, 'second/~': 2 }),
    ...Object.keys(properties).flatMap((name) =>
      spellingsOf(name).flatMap((spelling) => {
        const [field, readable] = [{ [spelling]: valid[name] ?? null }, spelling.replaceAll(' ', '(space)')];
        return [
          extra(readable, field),
          { name: `${name}.renamed-${readable}`, value: withFields(valid, field, [name]) },
        ];
      }),
    ),
  ];
}

function spellingsOf(name: string): string[] {
  const capitalised = name.charAt(0).toUpperCase() + name.slice(1);
  const spellings = new Set([name.toUpperCase(), capitalised, name.toLowerCase(), ` ${name}`, `${name} `]);
  return [...spellings].filter((spelling) => spelling !== name);
}

/** Copies the object; a field named `__proto__` is copied like any other. */
function withFields(valid: object, added: Record<string, unknown>, removed: readonly string[] = []): object {
  const kept = Object.entries(valid).filter(([name]) => !removed.includes(name));
  return Object.fromEntries([...kept, ...Object.entries(added)]);
}

/** The parts of a composition. Alternatives that the valid object does not match are left out: their fields would be extra ones. */
function composedOf(schema: Schema, valid: unknown): Schema[] {
  const isObject = typeof valid === 'object' && valid !== null;
  const isMatched = (part: Schema) => !isObject || oracleOf(part)(valid).length === 0;
  return [...composedBy(schema, 'allOf'), ...composedBy(schema, 'anyOf', 'oneOf').filter(isMatched)];
}

/** Mutations of the alternatives that the valid object does not match, and fields of one alternative in another. */
function ofAlternatives(schema: Schema, valid: unknown, chain: readonly Schema[]): Mutation[] {
  const parts = composedBy(schema, 'anyOf', 'oneOf').filter((part) => !chain.includes(part));
  if (!isObject(valid) || chain.length > deepestAbsent) return [];
  return parts.flatMap((part, index) => {
    const isGiven = oracleOf(part)(valid).length === 0;
    const sample = isGiven ? valid : sampleOf(part);
    if (!isObject(sample) || oracleOf(schema)(sample).length > 0) return [];
    const others = Object.entries(Object.assign({}, ...parts.map(({ properties }) => properties)) as Named);
    const added = others.filter(([name]) => part.additionalProperties === false && !part.properties?.[name]);
    const mixed = added.map(([name, field]) => withFields(sample, { [name]: sampleOf(field as Schema) }));
    return [
      ...(isGiven ? [] : mutationsOf(part, sample, chain)),
      ...mixed.slice(0, 1).map((value) => ({ name: 'extra-field.of-another', value })),
    ].map((each) => ({ ...each, name: `alternative-${index + 1}.${each.name}` }));
  });
}

/** Values of another type that no server accepts; a lenient one may read `"1"` as a number. */
const otherTypes = /(^|(?<!extra-field)\.)(null|integer|string|array|object)$/;

/** Values that no server can accept, however it treats strings, spaces and formats. */
const clearlyWrong =
  /(^|\.)(missing|all-missing|extra-field\.(unexpected|of-another)|(below|above)-(min|max)[a-z-]*|minimum|maximum|fraction|not-multiple|repeated-item|more-(after|before)|in-(capitals|small-letters)|other-letter-\d)$/;

/** Whether a mutation clearly violates the schema, so that every server that validates requests refuses it. */
export function isPlainlyInvalid({ name }: Pick<Mutation, 'name'>): boolean {
  return otherTypes.test(name) || clearlyWrong.test(name);
}

/** Whether a mutation is a value that the schema states: an enum value, or a bound. */
export function isNamedValue({ name }: Pick<Mutation, 'name'>): boolean {
  return /(^|\.)(enum-\d+|minimum|maximum)$/.test(name);
}

/** The bodies of JSON or of a form that every server refuses if it validates requests against its document, as they are sent. */
export function plainlyInvalidBodies(body: SchemaBody | undefined): (Mutation & { readonly text: string })[] {
  if (!body) return [];
  const faultsOf = lenientOracleOf(body.schema);
  return mutationsOf(body.schema, body.valid).flatMap((mutation) => {
    // Where a body may be absent, servers take null for none.
    const isNone = mutation.value === null && !body.required;
    if (mutation.lacks !== undefined || !isPlainlyInvalid(mutation) || isNone) return [];
    const text = body.textOf(mutation.value);
    return text !== undefined && faultsOf(body.valueOf(text)).length > 0 ? [{ ...mutation, text }] : [];
  });
}
