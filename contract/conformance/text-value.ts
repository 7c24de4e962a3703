import { delimiterOf, isReadable, pairsOfParameter } from './parameter-style.ts';
import type { Parameter, Schema } from '../document/model.ts';

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
  const sent = pairsOfParameter(
    { ...parameter, style: parameter.style === 'simple' ? 'form' : parameter.style },
    value,
  );
  return sent?.map(([, text]) => text);
}
