import { literally } from '../document/match.ts';
import type { Operation, Parameter, Schema } from '../document/model.ts';
import { isObject } from './json.ts';
import type { HeaderFields } from './messages.ts';
import { schemaViolations } from './schema.ts';

type Sent = Pick<Parameter, 'name' | 'style' | 'explode'>;

/** A name and a value of a query, a cookie or a header. */
export type Pair = readonly [name: string, text: string];

/** What separates an array's items in a single text, if no comma. */
const delimiters: Record<string, string> = { pipeDelimited: '|', spaceDelimited: ' ' };

/** Whether values of a parameter's style can be parsed; the suite accepts any value of the others. */
export function isReadable({ in: place, style }: Pick<Parameter, 'in' | 'style'>): boolean {
  return style === (place === 'query' || place === 'cookie' ? 'form' : 'simple') || style in delimiters;
}

const delimiterOf = ({ style }: Pick<Parameter, 'style'>) => delimiters[style] ?? ',';

/** The pairs that represent a value in a query, a cookie or a header; undefined if it cannot be sent. */
export function pairsOfParameter(parameter: Sent, value: unknown): Pair[] | undefined {
  const { name, style, explode } = parameter;
  const fields = fieldsOf(value);
  if (fields && style === 'deepObject') return fields.map(([field, text]) => [`${name}[${field}]`, text]);
  if (fields && style === 'form' && explode) return fields;
  if (fields) return [[name, joined(fields, explode, delimiterOf(parameter))]];
  const items = itemsOf(value);
  if (!items) return undefined;
  const isRepeated = explode && Array.isArray(value) && style !== 'simple';
  return isRepeated ? items.map((item) => [name, item]) : [[name, items.join(delimiterOf(parameter))]];
}

/** The URL-encoded text that represents a value in the path; undefined if it cannot be sent. */
export function pathTextOf({ name, style, explode }: Sent, value: unknown): string | undefined {
  const fields = fieldsOf(value)?.map(([field, text]): Pair => [encodeURIComponent(field), encodeURIComponent(text)]);
  const items = itemsOf(value)?.map((item) => encodeURIComponent(item));
  if (style === 'label') {
    const parts = fields?.map((pair) => pair.join(explode ? '=' : ',')) ?? items;
    return parts && `.${parts.join(explode ? '.' : ',')}`;
  }
  if (style === 'matrix') {
    const exploded = fields?.map((pair) => pair.join('=')) ?? items?.map((item) => `${name}=${item}`);
    const whole = fields ? joined(fields, false, ',') : items?.join(',');
    return explode ? exploded && `;${exploded.join(';')}` : whole === undefined ? undefined : `;${name}=${whole}`;
  }
  return fields ? joined(fields, explode, ',') : items?.join(',');
}

function joined(fields: readonly Pair[], explode: boolean, delimiter: string): string {
  return fields.map((pair) => pair.join(explode ? '=' : delimiter)).join(delimiter);
}

/** The fields of an object whose values are texts and numbers. */
function fieldsOf(value: unknown): Pair[] | undefined {
  const fields = isObject(value) ? Object.entries(value) : [];
  if (fields.length === 0 || !fields.every(([, each]) => isText(each))) return undefined;
  return fields.map(([name, each]) => [name, String(each)]);
}

/** The items of an array of texts and numbers, or a single value. */
function itemsOf(value: unknown): string[] | undefined {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.length > 0 && items.every(isText) ? items.map(String) : undefined;
}

function isText(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Parses the text of a parameter or a header by its schema. Text that cannot be parsed is returned as it is. */
export function valueOfText(schema: Schema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return text.split(',').map((item) => valueOfText(schema.items ?? {}, item));
    default:
      return text;
  }
}

/** Parses a parameter from its texts, one for each time that it was sent. */
export function valueOfParameter(parameter: Parameter, texts: readonly string[]): unknown {
  const { schema, explode } = parameter;
  const items = schema.items ?? {};
  if (schema.type === 'array' && explode) return texts.map((text) => valueOfText(items, text));
  if (texts.length !== 1) return [...texts];
  const [text = ''] = texts;
  return schema.type === 'array'
    ? text.split(delimiterOf(parameter)).map((item) => valueOfText(items, item))
    : valueOfText(schema, text);
}

/** The texts that represent a parameter's value; undefined if it cannot be sent. */
export function textsOfParameter(parameter: Parameter, value: unknown): string[] | undefined {
  const isArray = Array.isArray(value);
  if (!isReadable(parameter) || (isArray ? parameter.schema.type !== 'array' : typeof value === 'object'))
    return undefined;
  // An exploded array is sent in parts, in a header too, where they are joined.
  const style = parameter.style === 'simple' ? 'form' : parameter.style;
  return pairsOfParameter({ ...parameter, style }, value)?.map(([, text]) => text);
}

export function parameterViolations(
  operation: Operation,
  path: string,
  headers: HeaderFields,
): { parameter: Parameter; message: string }[] {
  const [pathText = '', queryText = ''] = path.split(/\?(.*)/s);
  const query = new URLSearchParams(queryText);
  const inPath = pathValues(operation.path, pathText);
  return operation.parameters.flatMap((parameter) => {
    const { name, in: location, required, schema } = parameter;
    if (location === 'cookie' || !isReadable(parameter)) return [];
    const sent = { path: inPath[name], query: query.getAll(name), header: headers[name.toLowerCase()] };
    const texts = sent[location] ?? [];
    const what = `the ${location} parameter ${name}`;
    if (texts.length === 0) return required ? [{ parameter, message: `${what} is missing` }] : [];
    const messages = schemaViolations(what, schema, valueOfParameter(parameter, texts), false);
    return messages.map((message) => ({ parameter, message }));
  });
}

function pathValues(template: string, path: string): Record<string, string[]> {
  const fixed = template.split(/\{[^}]+\}/).map(literally);
  const [, ...values] = new RegExp(`^${fixed.join('([^/]*)')}$`).exec(path) ?? [];
  const names = Array.from(template.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name);
  return Object.fromEntries(names.map((name, at) => [name, [decodedSegment(values[at] ?? '')]]));
}

/** A segment of a path without its encoding, if that is valid. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
