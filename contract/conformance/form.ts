/**
 * Bodies of forms, which stand for an object: `application/x-www-form-urlencoded`, and `multipart/form-data` (RFC 7578),
 * whose parts are files, texts, or JSON where a field is an object (OpenAPI 3.0.4, section 4.8.14).
 */
import { parse as parseContentType } from 'content-type';
import type { Schema } from '../document/model.ts';
import { valueOfText } from './text-value.ts';

/** Whether a body of the media type is a form. */
export function isForm(mediaType: string): boolean {
  return isUrlEncoded(mediaType) || isMultipart(mediaType);
}

/** Whether a body of the media type is a form of parts. */
export function isMultipart(mediaType: string): boolean {
  return /^multipart\/form-data\b/i.test(mediaType);
}

function isUrlEncoded(mediaType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(mediaType);
}

/** The object of a form by its schema; undefined if the form is malformed. What cannot be read stays a text. */
export function valueOfForm(schema: Schema, contentType: string, body: Buffer): unknown {
  const fields = isMultipart(contentType) ? partsOf(contentType, body) : [...new URLSearchParams(body.toString())];
  if (!fields) return undefined;
  const names = new Set(fields.map(([name]) => name));
  return Object.fromEntries(
    [...names].map((name) => {
      const texts = fields.flatMap(([each, text]) => (each === name ? [text] : []));
      return [name, valueOfTexts(fieldSchema(schema, name) ?? {}, texts)];
    }),
  );
}

/** Whether a form of this schema stands for one object alone: in a URL-encoded form, a field that is an object does not. */
export function isReadableForm(mediaType: string, schema: Schema): boolean {
  const fields = composedOf(schema).flatMap(({ properties = {} }) => Object.values(properties));
  return isMultipart(mediaType) || fields.every((field) => field.type !== 'object' && !field.properties);
}

function valueOfTexts(schema: Schema, texts: readonly string[]): unknown {
  if (schema.type === 'array') return texts.map((text) => valueOfTexts(schema.items ?? {}, [text]));
  const [text = '', ...others] = texts;
  if (others.length > 0) return [...texts];
  return schema.type === 'object' || schema.properties ? jsonOf(text) : valueOfText(schema, text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The schema of a field, of the object itself or of a part of its composition. */
export function fieldSchema(schema: Schema, name: string): Schema | undefined {
  return composedOf(schema)
    .map(({ properties }) => properties?.[name])
    .find((field) => field !== undefined);
}

/** A schema and the parts that it is composed of, each once: a part may be composed of the whole. */
function composedOf(schema: Schema, found = new Set<Schema>()): Schema[] {
  if (found.has(schema)) return [];
  found.add(schema);
  const { allOf = [], anyOf = [], oneOf = [] } = schema as Record<string, Schema[] | undefined>;
  for (const part of [...allOf, ...anyOf, ...oneOf]) composedOf(part, found);
  return [...found];
}

/** The names and texts of a multipart body; undefined if a part has no name, or the body does not end as it must. */
function partsOf(contentType: string, body: Buffer): (readonly [name: string, text: string])[] | undefined {
  const { boundary } = parseContentType(contentType).parameters;
  if (boundary === undefined || boundary === '') return undefined;
  // As Latin-1, each byte is one character, and the content of a file stays as it is.
  const [, ...parts] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  if (parts.pop()?.startsWith('--') !== true) return undefined;
  const fields = parts.map((part) => {
    const [, head = '', text] = /^[ \t]*\r\n(.*?\r\n)?\r\n(.*)$/s.exec(part) ?? [];
    const [, quoted, token] = disposition.exec(head) ?? [];
    const name = quoted ?? token;
    return name === undefined || text === undefined ? undefined : ([utf8(name), utf8(text)] as const);
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

/** The name of a part, in quotes or as a token. */
const disposition = /^content-disposition:[ \t]*form-data\b.*?;[ \t]*name=(?:"([^"\r\n]*)"|([^\s";]+))/im;

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
