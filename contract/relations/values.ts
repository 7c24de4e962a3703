/** What schemas show of fields and lists, and valid values: distinct ones, those at edges, and whether one came back. */
import { oracleOf } from '../oracle/schema.ts';
import { sampleOf, textsMatching } from '../dimensions/samples.ts';
import { isObject } from '../oracle/json.ts';
import type { Operation, Schema } from '../document/model.ts';
import { composedBy, fieldsOf } from '../document/schemas.ts';
import { successSchema } from '../plan/parameters.ts';

export type Fields = Record<string, unknown>;

export function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** A name without case and separators, so that `book_id` and `bookId` are one. */
export function plainName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

export function singular(plain: string): string {
  return plain.replace(/ies$/, 'y').replace(/s$/, '');
}

/** The value of a field, which may be one of an object in the item, as in `customer.email`. */
export function valueAt(item: Fields, field: string): unknown {
  // As a filter that is about several fields.
  if (field.includes('|')) return field.split('|').map((each) => valueAt(item, each));
  const [outer = '', inner = ''] = field.split('.');
  const { [outer]: object } = item;
  return item[field] ?? (isObject(object) ? object[inner] : undefined);
}

const listNames = /^(items|data|results|records|entries|values|content|hits|list|rows)$/i;

/** The schema of what a response lists: its items, or those of its one array of objects. */
export function listedSchema(operation: Operation | undefined): Schema | undefined {
  const schema = successSchema(operation);
  if (schema.type === 'array') return schema.items;
  const whole = fieldsOf(schema);
  const fields = Object.entries(whole['_embedded'] ? fieldsOf(whole['_embedded']) : whole);
  // An item may have an array of its own, but has an identifier beside it.
  if (Object.keys(whole).some((name) => /^id$/i.test(name))) return undefined;
  const arrays = fields.filter(([, { type, items }]) => type === 'array' && Object.keys(fieldsOf(items)).length > 0);
  const [, found] = arrays.find(([name]) => listNames.test(name)) ?? (arrays.length === 1 ? (arrays[0] ?? []) : []);
  return found?.items;
}

/** The items that a response lists; undefined if it is no list. */
export function listedItems(body: unknown): Fields[] | undefined {
  const { _embedded: embedded = body } = isObject(body) ? body : {};
  const arrays = Array.isArray(body) ? [['items', body] as const] : Object.entries(isObject(embedded) ? embedded : {});
  const lists = arrays.filter(([, each]) => Array.isArray(each));
  const [, found] = lists.find(([name]) => listNames.test(name)) ?? lists[0] ?? [];
  return (found as unknown[] | undefined)?.filter(isObject);
}

/** An object and those in it, which may be what is meant, as in `{ "data": { ... } }`. */
export function objectsIn(body: unknown): Fields[] {
  return isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
}

/** Fields that refer to something else, so that not every value of their schema has a meaning. */
const referring = [
  /(^|[_-])(id|ids|uuid|ref|key|token|secret|password|url|uri|href|link)$/i,
  /[a-z](Ids?|Ref|Key|Token|Url|Uri)$/,
];
/** Plain names of the version of an item that a request is to change. */
const versionNames = /^(etag|resourceversion|(expected|if|row|lock)(version|revision|match))$/;

export function isVersion(name: string): boolean {
  return versionNames.test(plainName(name));
}

/** Whether a request has a field for the server to compare, and not to keep. */
export function isCompared(name: string): boolean {
  return isVersion(name) || isKey(name);
}

/** Whether a name is that of a key that makes a creation repeatable. */
export function isKey(name: string): boolean {
  return /^x?(idempotency(key|token)|clienttoken)$/.test(plainName(name));
}

/** Texts of which a standard, or a list elsewhere, says which there are. */
const listedElsewhere =
  /(filter|expression|selector|mask|time_?zone|tz|locale|language|country|currency|phone|e?mail|colou?r|mime_?type|cron|post_?code|zip)$/i;
const standard = /\b(IANA|ISO|ITU|BCP|RFC|E\.164|SPDX|SemVer|cron)\b/;
/** Fields whose values a server may refuse by what it knows of the item: its state, or the other end of a range. */
export const depending =
  /(status|state|stage|phase)$|^(min|max|start|end|from|to|first|last|lower|upper)|(min|max|start|end|from|to)$/i;
/** Whether a field is a state, in which a server may bring an item by itself. */
export function isMoving(name: string): boolean {
  return /(status|state|stage|phase)$/i.test(name);
}

/** Says that a server may change a value. */
const normalising =
  /trim|normali[sz]|(lower|upper).?case|case.?insens|strip|sanit|rounded|sorted|particular order|dedup|truncat|convert|mask|canonical/i;
/** Says that capitals and small letters are the same. */
export const ofAnyCase =
  /(any|either) case|whatever (the|their|its) case|(upper|lower).?(case)? and (upper|lower).?case|case.?insensitiv|ignor\w+ case|regardless of case|without regard to case|irrespective of case|case (is ignored|does not|doesn't)/i;
const plainFormats = [undefined, 'int32', 'int64', 'float', 'double'];

/** Whether a client may send any value that the schema of the field allows. */
export function isFree(name: string, schema: Schema = {}): boolean {
  const { format, pattern } = schema.items ?? schema;
  const isOpen = (schema.type ?? schema.enum) !== undefined || alternativesOf(schema).length > 0;
  const isPlain = isAnyText(pattern) && plainFormats.includes(format) && isOpen;
  const isListed =
    schema.type === 'string' &&
    schema.enum === undefined &&
    (listedElsewhere.test(name) || standard.test(String(schema['description'])));
  const isOwn = schema['readOnly'] !== true && !isCompared(name);
  return isPlain && !isListed && isOwn && !referring.some((each) => each.test(name));
}

/** Whether a pattern gives texts no form, as `\\S` does. */
export function isAnyText(pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  const isValid = oracleOf({ type: 'string', pattern });
  return [...words, ...letters.map(([, text]) => text)].every((text) => isValid(text).length === 0);
}

export function alternativesOf(schema: Schema): Schema[] {
  return composedBy(schema, 'oneOf', 'anyOf');
}

/** Whether the document says that the server may change the value of a field. */
export function mayBeNormalised({ description }: Schema): boolean {
  return typeof description === 'string' && normalising.test(description);
}

/** Texts that servers may garble. */
export const lineEnds = 'ends of lines';
export const lines = 'lines and tabs';
export const letters = Object.entries({
  'quotes and slashes': `"a" 'b' \`c\` \\d/ %41+%20`,
  markup: '<b>&amp; &lt; {{x}} ${y}</b>',
  'combining letters': 'e\u0301o\u0308 A\u030a\u1e9b\u0323',
  'letters from the right': '\u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627 12',
  'letters beyond the basic plane': '\u{1d4b3}\u{1f600}\u{20000}',
  'spaces at both ends': '  a  b ',
  'a word of JSON': 'null',
  'a number as text': '0012',
  [lineEnds]: 'a\r\nX-Half: 1\r\n',
  [lines]: 'a\n\tb',
});

/** Neither in alphabetical nor in numerical order, nor do numbers and their texts have the same order. */
const words = ['mike', 'delta', 'tango', 'alpha', 'golf', 'victor', 'bravo', 'papa'];
const numbers = [30, 200, 4, 1000, 50, 7, 90, 12];

/** A value that differs for each number; undefined if there is none. @param valid a valid value of it */
export function distinct(schema: Schema, n: number, tag: string, valid?: unknown): unknown {
  const alternatives = alternativesOf(schema);
  const chosen = alternatives[n % Math.max(1, alternatives.length)];
  if (chosen) return distinct(chosen, n, tag, sampleOf(chosen));
  if (schema.properties)
    return variantOf(schema, isObject(valid) ? valid : sampleOf(schema, 'all'), n, tag, 'given fields');
  const { enum: values, type, format, minimum = 0, maximum = Infinity, items, minItems = 0, maxItems = 2 } = schema;
  const isValid = oracleOf(schema);
  const first = (...candidates: unknown[]) => candidates.find((each) => isValid(each).length === 0);
  const at = <Each>(list: readonly Each[]) => list[n % list.length];
  const word = at(words) ?? '';
  if (values) return at(values.filter((each) => each !== null));
  if (schema.nullable === true && n % 5 === 4) return null;
  if (type === 'boolean') return Math.floor(n / 2) % 2 === 0;
  if (type === 'integer' || type === 'number') {
    const number = at(numbers) ?? 0;
    const spread = Math.max(1, Math.floor(Math.min(maximum - minimum + 1, 1000)));
    return first(number + 0.25, number, Number((minimum + (n % spread)).toFixed(6)), minimum);
  }
  if (type === 'array' && items) {
    const length = Math.max(minItems, Math.min(2, maxItems, items.enum?.length ?? 2));
    return first(Array.from({ length }, (_none, index) => distinct(items, n + index, tag)));
  }
  if (isMap(schema)) return { [`${word}${n}`]: distinct(mappedSchema(schema), n, tag) };
  if (/^date(-time)?$/.test(format ?? '') && typeof valid === 'string') return daysAfter(valid, n % 28);
  if (format === 'email') return `${word}.${tag}${n}@example.com`;
  if (type !== 'string' || format !== undefined) return undefined;
  if (!isAnyText(schema.pattern)) return first(...textsMatching(schema.pattern ?? '', n, 5));
  return first(`${word} ${tag}${n}`, `${word}${n}`, `${word.slice(0, 1)}${n}`.slice(0, schema.maxLength));
}

/** A date or a time some days later: dates of one body keep their order. */
export function daysAfter(text: string, days: number): string {
  const day = new Date(Date.parse(text.slice(0, 10)) + days * 86_400_000);
  return day.toISOString().slice(0, 10) + text.slice(10);
}

/** Whether an object has any names, which stand for themselves. */
export function isMap({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && !properties && additionalProperties !== undefined && additionalProperties !== false;
}

export function mappedSchema({ additionalProperties }: Schema): Schema {
  return isObject(additionalProperties) ? additionalProperties : { type: 'string' };
}

/** Numbers and dates that only grow, as those of a meter. */
export const rising = 'rising, named items';

/** How far a body differs from the one that the document shows, from all fields that may to none; a field may name an item, as `room`. */
export const freedoms = [
  'any field',
  'any field, named items',
  'given fields',
  'given fields, named items',
  'none',
  rising,
] as const;
/** What others refer to differs in texts and fractions, and has the states, the numbers and the lists that the document shows. */
export type Freedom = (typeof freedoms)[number] | 'given texts' | 'given texts, named items';

/** Whether values that may have a meaning for the server are nevertheless varied: those that must often be unique, and dates. */
export function mayVary(field: Schema): boolean {
  const { format = '', pattern } = field.items ?? field;
  return field['readOnly'] !== true && (pattern !== undefined || /^(email|date|date-time)$/.test(format));
}

/** As `distinct`, but numbers and dates only grow. */
function risen(schema: Schema, n: number, tag: string, valid: unknown): unknown {
  if (typeof valid === 'number' && !schema.enum) return valid + n;
  const isDate = /^date(-time)?$/.test(schema.format ?? '') && typeof valid === 'string';
  return isDate ? daysAfter(valid, n) : distinct(schema, n, tag, valid);
}

export function variantOf(schema: Schema, valid: unknown, n: number, tag: string, freedom: Freedom): Fields {
  const base = isObject(valid) ? valid : {};
  let body = base;
  for (const [index, [name, field]] of Object.entries(freedom === 'none' ? {} : fieldsOf(schema)).entries()) {
    const isGiven = Object.hasOwn(base, name);
    const isAny = freedom.startsWith('any field');
    const isVaried = mayVary(field) && (isGiven || (isAny && field.pattern !== undefined));
    if (!(isFree(name, field) && (isGiven || isAny)) && !isVaried) continue;
    if (freedom.startsWith('given texts') && (field.enum || /^(integer|boolean|array)$/.test(field.type ?? '')))
      continue;
    // No two texts of a body have a word in common.
    const valueOf = freedom === rising ? risen : distinct;
    const value = valueOf(field, n, tag + String.fromCharCode(97 + (index % 26)), base[name]);
    const changed = { ...body, [name]: value };
    if (value !== undefined && oracleOf(schema)(changed).length === 0) body = changed;
  }
  return body;
}

/** Whether a value came back as it was sent. What was not sent is the server's to choose. */
export function isKept(sent: unknown, got: unknown, schema: Schema = {}): boolean {
  if (sent === null || sent === undefined)
    return got === null || got === undefined || oracleOf(schema)(null).length > 0;
  if (Array.isArray(sent)) {
    if (!Array.isArray(got) || got.length !== sent.length) return false;
    const isSet = schema['uniqueItems'] === true || mayBeNormalised(schema);
    return sent.every((each, index) => (isSet ? got : [got[index]]).some((other) => isKept(each, other, schema.items)));
  }
  if (isObject(sent)) {
    if (!isObject(got) || (isMap(schema) && Object.keys(got).length !== Object.keys(sent).length)) return false;
    return Object.entries(sent).every(([name, each]) => isKept(each, got[name], fieldsOf(schema)[name]));
  }
  // As a label that is sent by its name.
  if (sent === got || (isObject(got) && Object.values(got).includes(sent))) return true;
  if (typeof sent !== 'string' || typeof got !== 'string' || schema.format === undefined) return false;
  return Date.parse(sent) === Date.parse(got) || sent.toLowerCase() === got.toLowerCase();
}

/** The first sent field that a representation has otherwise, of those that its schema declares, at any depth. */
export function changedField(sent: Fields, got: Fields, request: Schema, response: Schema): string | undefined {
  const asked = fieldsOf(request);
  const declared = fieldsOf(response);
  const inner = Object.values(declared).map((each) => fieldsOf(each.items ?? each));
  return Object.keys(sent).find((name) => {
    const field = asked[name] ?? {};
    // What a server is said to ignore, say, is no field of a request.
    if (!asked[name] && Object.keys(asked).length > 0) return false;
    const shown = [declared, ...inner].find((fields) => fields[name])?.[name];
    if (!shown || field['writeOnly'] === true || [field, shown].some(mayBeNormalised)) return false;
    // What cannot be read as null has been removed by it, and may have its default.
    if (sent[name] === null && oracleOf(shown)(null).length > 0) return false;
    if (field.type !== undefined && shown.type !== undefined && field.type !== shown.type) return false;
    // A field whose values have nothing in common with those that are sent is another one of the same name.
    if (shown.enum && !shown.enum.includes(sent[name])) return false;
    return !isKept(sent[name], got[name], { ...field, ...shown });
  });
}

/** An object after a merge patch (RFC 7396): what is null has gone from a map, and has no value in any other object. */
export function mergedWith(value: unknown, patch: unknown, schema: Schema = {}): unknown {
  if (!isObject(patch)) return patch;
  const merged = Object.entries(patch).map(([name, each]) => [
    name,
    mergedWith(isObject(value) ? value[name] : undefined, each, fieldsOf(schema)[name]),
  ]);
  const whole = { ...(isObject(value) && value), ...(Object.fromEntries(merged) as Fields) };
  return pick(
    whole,
    Object.keys(whole).filter((name) => patch[name] !== null || !isMap(schema)),
  );
}
