import type { Parameter, Schema } from '../document/model.ts';

/** The value that the text of a parameter or a header stands for, by its schema. What cannot be read stays a text. */
export function valueOfText(schema: Schema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
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

/** The value of a parameter that was sent with these texts, one for each time that it was sent. */
export function valueOfParameter({ schema, explode }: Parameter, texts: readonly string[]): unknown {
  if (schema.type === 'array' && explode) return texts.map((text) => valueOfText(schema.items ?? {}, text));
  return texts.length === 1 ? valueOfText(schema, texts[0] ?? '') : [...texts];
}

/** The texts that a parameter is sent as; undefined if a value cannot be sent. */
export function textsOfParameter({ schema, explode }: Parameter, value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return isText(value) ? [String(value)] : undefined;
  if (schema.type !== 'array' || value.length === 0 || !value.every(isText)) return undefined;
  return explode ? value.map(String) : [value.map(String).join(',')];
}

function isText(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
