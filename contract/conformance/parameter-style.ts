import type { Parameter } from '../document/model.ts';

type Sent = Pick<Parameter, 'name' | 'style' | 'explode'>;

/** A name and a value of a query, a cookie or a header. */
export type Pair = readonly [name: string, text: string];

/** The delimiters of an array's items in a single text. */
const delimiters: Record<string, string> = { pipeDelimited: '|', spaceDelimited: ' ' };

/** Whether values of a parameter's style can be parsed; the suite accepts any value of the others. */
export function isReadable({ in: place, style }: Pick<Parameter, 'in' | 'style'>): boolean {
  return style === (place === 'query' || place === 'cookie' ? 'form' : 'simple') || style in delimiters;
}

/** The delimiter of an array's items in a single text. */
export function delimiterOf({ style }: Pick<Parameter, 'style'>): string {
  return delimiters[style] ?? ',';
}

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
  const fields = fieldsOf(value)?.map(
    ([field, text]) => [encodeURIComponent(field), encodeURIComponent(text)] as const,
  );
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value);
  return fields.length > 0 && fields.every(([, each]) => isText(each))
    ? fields.map(([name, each]) => [name, String(each)])
    : undefined;
}

/** The items of an array of texts and numbers, or a single value. */
function itemsOf(value: unknown): string[] | undefined {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.length > 0 && items.every(isText) ? items.map(String) : undefined;
}

function isText(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
