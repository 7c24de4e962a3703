/** What a body says: its media type, and its value if it is JSON or a form. */
import { isUtf8 } from 'node:buffer';
import { parse as parseContentType } from 'content-type';
import type { MediaType, Parameter, RequestBody, Schema, Serialisation } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { parsed } from './json.ts';
import type { HeaderFields, ReceivedBody } from './messages.ts';
import { valueOfParameter, valueOfText } from './parameters.ts';

/** The documented content for a media type: under its own name, or else under a range such as `image/*`. */
export function contentOfType<Content>(
  content: Readonly<Record<string, Content>>,
  mediaType: string,
): Content | undefined {
  const type = mediaType.toLowerCase();
  for (const wanted of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const found = Object.entries(content).find(([documented]) => withoutParameters(documented) === wanted);
    if (found) return found[1];
  }
  return undefined;
}

export function isJson(mediaType: string): boolean {
  return /^application\/(json|[\w.+-]+\+json)$/i.test(withoutParameters(mediaType));
}

/** Removes the parameters that documents may include, as in `application/json; charset=utf-8`. */
export function withoutParameters(mediaType: string): string {
  return mediaType.replace(/[ \t]*;.*/s, '').toLowerCase();
}

/** A media type without parameters; of JSON, without a charset of UTF-8 alone, in any spelling (RFC 9110, section 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(/[ \t]*;[ \t]*/);
  if (!isJson(type)) return type;
  const others = parameters.filter((parameter) => !/^(charset=("utf-8"|utf-8))?$/i.test(parameter));
  return [type, ...others].join('; ');
}

/** The value of a body, with the schema that is documented for it. */
export interface BodyValue {
  readonly schema: Schema;
  readonly value: unknown;
}

export interface BodyFault {
  readonly promise: 'body' | 'media-type' | 'body-size';
  readonly message: string;
  /** As errors of this API name it. */
  readonly rule: 'required' | 'media-type' | 'size' | 'json' | 'form';
}

/** What the body of a request says; undefined if there is nothing to check: it is absent, or neither JSON nor a form. */
export function readBody(documented: RequestBody, request: ReceivedBody): BodyValue | BodyFault | undefined {
  const { content, required, maxBytes } = documented;
  const { headers, bodyBytes, body } = request;
  if (bodyBytes === 0)
    return required ? { promise: 'body', rule: 'required', message: 'the body is missing' } : undefined;
  if (bodyBytes > maxBytes)
    return { promise: 'body-size', rule: 'size', message: `the body is larger than ${maxBytes} bytes` };
  const declared = declaredContent(headers, content);
  if (typeof declared === 'string') return { promise: 'media-type', rule: 'media-type', message: declared };
  return body && valueOf(declared, body);
}

type Form = Pick<MediaType, 'schema' | 'styles'>;
type Declared = Form & { readonly contentType: string };

function valueOf({ contentType, ...form }: Declared, body: Buffer): BodyValue | BodyFault | undefined {
  if (isForm(contentType)) {
    if (!isReadableForm(contentType, form)) return undefined;
    const value = valueOfForm(form, contentType, body);
    return value === undefined
      ? { promise: 'body', rule: 'form', message: 'the body is not a multipart form' }
      : { schema: form.schema, value };
  }
  if (!isJson(contentType)) return undefined;
  const value = isUtf8(body) ? parsed(new TextDecoder().decode(body)) : undefined;
  return value === undefined
    ? { promise: 'body', rule: 'json', message: 'the body is not JSON' }
    : { schema: form.schema, value };
}

/** What the document says of the body that the headers declare; in words, why it says nothing (decision D13). */
export function declaredContent(
  headers: HeaderFields,
  content: Readonly<Record<string, MediaType>>,
): Declared | string {
  const coding = (headers['content-encoding'] ?? []).join();
  if (coding !== '' && coding.toLowerCase() !== 'identity') return 'the body has a content coding';
  const [value, ...others] = headers['content-type'] ?? [];
  if (value === undefined) return 'the body has no media type';
  if (others.length > 0) return 'the header Content-Type is sent more than once';
  try {
    const { type, parameters } = parseContentType(value);
    if (isJson(type) && !/^utf-8$/i.test(parameters['charset'] ?? 'utf-8'))
      return 'the charset of the body is not UTF-8';
    const media = contentOfType(content, type);
    return media ? { ...media, contentType: value } : `the media type ${type} is not documented`;
  } catch {
    return 'the media type of the body is malformed';
  }
}

/** Whether a media type is that of a form, which stands for an object (RFC 7578; OpenAPI 3.0.4, section 4.8.14). */
export function isForm(mediaType: string): boolean {
  return isMultipart(mediaType) || /^application\/x-www-form-urlencoded\b/i.test(mediaType);
}

/** Whether a body of the media type is a form of parts. */
export function isMultipart(mediaType: string): boolean {
  return /^multipart\/form-data\b/i.test(mediaType);
}

/** The object of a form by its schema; undefined if the form is malformed. What cannot be read stays a text. */
export function valueOfForm({ schema, styles = {} }: Form, contentType: string, body: Buffer): unknown {
  const fields = isMultipart(contentType) ? partsOf(contentType, body) : [...new URLSearchParams(body.toString())];
  if (!fields) return undefined;
  const schemas = fieldsOf(schema);
  const deep = Object.keys(styles).filter((name) => styles[name]?.style === 'deepObject');
  // As in `metadata[colour]=red`.
  const placed = fields.map(([name, text]) => {
    const [, object = '', field] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    return { name: deep.includes(object) ? object : name, field: deep.includes(object) ? field : undefined, text };
  });
  const entries = Array.from(
    Map.groupBy(placed, ({ name }) => name),
    ([name, pairs]): [string, unknown] => {
      const { [name]: property = {} } = schemas;
      const texts = pairs.map(({ text }) => text);
      if (styles[name] && property.type === 'array')
        return [name, valueOfParameter({ ...styles[name], schema: property } as Parameter, texts)];
      if (pairs.some(({ field }) => field === undefined)) return [name, valueOfTexts(property, texts)];
      const inner = { schema: { ...property, properties: property.properties ?? {} } };
      const pairsIn = pairs.map(({ field = '', text }): [string, string] => [field, text]);
      return [name, valueOfForm(inner, contentType, Buffer.from(new URLSearchParams(pairsIn).toString()))];
    },
  );
  return Object.fromEntries(entries);
}

/** Whether a field can be read in a URL-encoded form: an object can only be read if its name stands before those of its fields. */
export function isReadableField({ type, properties, additionalProperties }: Schema, style?: Serialisation): boolean {
  const isObject = type === 'object' || properties !== undefined;
  const inner = [
    ...Object.values(properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return (
    !isObject ||
    (style?.style === 'deepObject' && inner.every((each) => each.type !== 'array' && isReadableField(each)))
  );
}

/** Whether a form of this schema stands for one object alone. */
export function isReadableForm(mediaType: string, { schema, styles = {} }: Form): boolean {
  return (
    isMultipart(mediaType) ||
    Object.entries(fieldsOf(schema)).every(([name, field]) => isReadableField(field, styles[name]))
  );
}

function valueOfTexts(schema: Schema, texts: readonly string[]): unknown {
  if (schema.type === 'array') return texts.map((text) => valueOfTexts(schema.items ?? {}, [text]));
  const [text = '', ...others] = texts;
  if (others.length > 0) return [...texts];
  if (schema.type !== 'object' && !schema.properties) return valueOfText(schema, text);
  const value = parsed(text);
  return value === undefined ? text : value;
}

/** The names and texts of a multipart body; undefined if a part has no name, or the body does not end as it must. */
function partsOf(contentType: string, body: Buffer): (readonly [name: string, text: string])[] | undefined {
  const { boundary } = parseContentType(contentType).parameters;
  if (boundary === undefined || boundary === '') return undefined;
  // As Latin-1, each byte is one character, and the content of a file stays as it is.
  const [, ...parts] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  if (parts.pop()?.startsWith('--') !== true) return undefined;
  const utf8 = (latin1: string) => Buffer.from(latin1, 'latin1').toString();
  const fields = parts.map((part) => {
    const [, head = '', text] = /^[ \t]*\r\n(.*?\r\n)?\r\n(.*)$/s.exec(part) ?? [];
    const [, quoted, token] = disposition.exec(head) ?? [];
    const name = quoted ?? token;
    return name === undefined || text === undefined ? undefined : ([utf8(name), utf8(text)] as const);
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

const disposition = /^content-disposition:[ \t]*form-data\b.*?;[ \t]*name=(?:"([^"\r\n]*)"|([^\s";]+))/im;
