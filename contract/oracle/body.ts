/** Checks the body of a request against the document: its media type, its size, and its value if it is JSON or a form. */
import { parse as parseContentType } from 'content-type';
import type { MediaType, Operation, RequestBody, Schema } from '../document/model.ts';
import type { HeaderFields, Violation } from './documented-response.ts';
import { contentOfType, isJson } from './media-type.ts';
import { schemaViolations } from './schema.ts';
import { valueOfText } from './parameters.ts';

/** A body as it came over the wire, and the headers of its request. */
export interface ReceivedBody {
  readonly headers: HeaderFields;
  readonly bodyBytes: number;
  /** Undefined if it has not been kept; then its size alone is checked. */
  readonly body: Buffer | undefined;
}

/** What is wrong with a request's body. @param open whether fields that the schema does not list are accepted */
export function bodyViolations(operation: Operation, request: ReceivedBody, open = false): Violation[] {
  const { requestBody } = operation;
  const { bodyBytes, body } = request;
  if (!requestBody) return bodyBytes > 0 ? [broken('the operation takes no body')] : [];
  if (bodyBytes === 0) return requestBody.required ? [broken('the body is missing')] : [];
  const declared = declaredContent(request.headers, requestBody.content);
  if (typeof declared === 'string') return [{ rule: 'media type', message: declared }];
  const { maxBytes } = requestBody;
  if (bodyBytes > maxBytes) return [broken(`the body is larger than ${maxBytes} bytes`)];
  const read = body && valueOfBody(declared, body);
  if (typeof read === 'string') return [broken(read)];
  return read ? schemaViolations('the body', read.schema, read.value, open).map(broken) : [];
}

/** The value of a request's body and the schema that is documented for it; undefined if it has none that can be read. */
export function readBody(
  { content }: RequestBody,
  { headers, body }: ReceivedBody,
): { readonly schema: Schema; readonly value: unknown } | undefined {
  const declared = declaredContent(headers, content);
  const read = typeof declared === 'string' ? undefined : body && valueOfBody(declared, body);
  return typeof read === 'string' ? undefined : read;
}

/** What the document says of the body that a request declares. */
interface Declared {
  readonly schema: Schema;
  /** With its parameters. */
  readonly contentType: string;
}

/** In words, why a body is not what it declares; undefined for one that is neither JSON nor a form. */
function valueOfBody({ schema, contentType }: Declared, body: Buffer): ReturnType<typeof readBody> | string {
  if (isForm(contentType)) {
    if (!isReadableForm(contentType, schema)) return undefined;
    const value = valueOfForm(schema, contentType, body);
    return value === undefined ? 'the body is not a multipart form' : { schema, value };
  }
  if (!isJson(contentType)) return undefined;
  try {
    return { schema, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown };
  } catch {
    return 'the body is not JSON';
  }
}

/** In words, why the document says nothing of a body with these headers. */
function declaredContent(headers: HeaderFields, content: Readonly<Record<string, MediaType>>): Declared | string {
  if ((headers['content-encoding'] ?? ['identity']).join().toLowerCase() !== 'identity')
    return 'the body has a content coding';
  const [value, ...others] = headers['content-type'] ?? [];
  if (value === undefined) return 'the body has no media type';
  if (others.length > 0) return 'the header Content-Type is sent more than once';
  try {
    const { type, parameters } = parseContentType(value);
    if (isJson(type) && (parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8')
      return 'the charset of the body is not UTF-8';
    const media = contentOfType(content, type);
    return media ? { schema: media.schema, contentType: value } : `the media type ${type} is not documented`;
  } catch {
    return 'the media type of the body is malformed';
  }
}

function broken(message: string): Violation {
  return { rule: 'body', message };
}

/**
 * Bodies of forms, which stand for an object: `application/x-www-form-urlencoded`, and `multipart/form-data` (RFC 7578),
 * whose parts are files, texts, or JSON where a field is an object (OpenAPI 3.0.4, section 4.8.14).
 */

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
