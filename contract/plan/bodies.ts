/** The bodies that an operation documents, each with a valid value and how other values are sent: JSON, forms, and texts. */
import { isForm, isJson, isMultipart, isReadableField, valueOfForm } from '../oracle/body.ts';
import { isObject } from '../oracle/json.ts';
import { pairsOfParameter } from '../oracle/parameters.ts';
import { type Oracle, oracleOf } from '../oracle/schema.ts';
import type { Headers } from '../dimensions/credential-scheme.ts';
import { sampleOf } from '../dimensions/samples.ts';
import type { MediaType, Operation, Schema } from '../document/model.ts';
import { fieldsOf as schemaFieldsOf } from '../document/schemas.ts';

/** The request body of an operation: its schema, a valid example, and how its values are sent. */
export interface SchemaBody {
  readonly schema: Schema;
  readonly valid: unknown;
  readonly text: string;
  readonly content: Headers;
  /** Whether the value is made from the schema, because the document has no example. */
  readonly isGuessed: boolean;
  readonly required: boolean;
  /** What a value is sent as; undefined if it cannot be sent, or the server could read another value in it. */
  readonly textOf: (value: unknown) => string | undefined;
  /** The value that the server reads in a text. */
  readonly valueOf: (text: string) => unknown;
  readonly fits: (body: string | Buffer) => boolean;
  /** What is wrong with a value by its schema, or as it cannot be sent. */
  readonly faultsOf: Oracle;
}

/** A body of JSON, in which every value can be sent. */
export interface JsonBody extends SchemaBody {
  readonly textOf: (value: unknown) => string;
}

/** The JSON body that the operation documents, if its example is valid. @param mayGuess if there is no example */
export function jsonBodyOf({ requestBody }: Operation, mayGuess = false): JsonBody | undefined {
  const [mediaType, media] = Object.entries(requestBody?.content ?? {}).find(([type]) => isJson(type)) ?? [];
  if (!requestBody || mediaType === undefined || !media) return undefined;
  const { schema } = media;
  const example = Object.values(media.examples)[0]?.value ?? schema.example;
  const isGuessed = example === undefined && mayGuess;
  const valid = isGuessed ? sampleOf(schema) : example;
  const faultsOf = oracleOf(schema);
  if (valid === undefined || faultsOf(valid).length > 0) return undefined;
  return {
    ...{ schema, valid, isGuessed, faultsOf },
    text: JSON.stringify(valid),
    content: [['Content-Type', mediaType]],
    required: requestBody.required,
    textOf: JSON.stringify,
    valueOf: JSON.parse,
    fits: (body) => Buffer.byteLength(body) <= requestBody.maxBytes,
  };
}

export interface FormBody extends SchemaBody {
  /** The parts of a multipart form; none if the form is URL-encoded. */
  readonly parts: readonly FormField[];
}

export interface FormField {
  readonly name: string;
  readonly text: string;
  /** The media type of a part that is a file or JSON; undefined for a text. */
  readonly mediaType: string | undefined;
}

export function isFile({ mediaType }: FormField): boolean {
  return mediaType !== undefined && mediaType !== 'application/json';
}

/** The same in each run, so that a run can be repeated. */
const boundary = 'document-analysis-contract-form';

/** The form that the operation documents; undefined if it documents none that can be sent. */
export function formBodyOf({ requestBody }: Operation): FormBody | undefined {
  for (const [mediaType, documented] of Object.entries(requestBody?.content ?? {})) {
    if (!isForm(mediaType)) continue;
    const media = { ...documented, schema: sendable(documented, mediaType) };
    const { schema, examples } = media;
    const [example] = Object.values(examples);
    // An empty form is no body at all.
    const given = example ? example.value : (schema.example ?? sampleOf({ minProperties: 1, ...schema }));
    const names = Object.keys(schemaFieldsOf(schema));
    const lost = Object.keys(schemaFieldsOf(documented.schema)).filter((name) => !names.includes(name));
    const valid = isObject(given)
      ? Object.fromEntries(Object.entries(given).filter(([name]) => !lost.includes(name)))
      : given;
    const fields = fieldsOf(valid, media, mediaType);
    if (!fields || fields.length === 0) continue;
    const hasParts = isMultipart(mediaType);
    const textOf = (value: unknown) => {
      const changed = fieldsOf(value, media, mediaType);
      return changed && formOf(changed);
    };
    const faultsOf = oracleOf(schema);
    const contentType = hasParts ? `${mediaType}; boundary=${boundary}` : mediaType;
    const formOf = hasParts ? multipartText : urlEncodedText;
    return {
      ...{ schema, valid },
      text: formOf(fields),
      content: [['Content-Type', contentType]],
      isGuessed: !example,
      required: requestBody?.required ?? false,
      parts: hasParts ? fields : [],
      textOf,
      valueOf: (text) => valueOfForm(media, contentType, Buffer.from(text)),
      fits: (body) => Buffer.byteLength(body) <= (requestBody?.maxBytes ?? Infinity),
      faultsOf: (value) => (isEmptied(value) || textOf(value) === undefined ? ['it cannot be sent'] : faultsOf(value)),
    };
  }
  return undefined;
}

/** The schema without optional fields that a form cannot have. */
function sendable({ schema, styles = {} }: MediaType, mediaType: string): Schema {
  const { properties, required = [] } = schema;
  if (isMultipart(mediaType) || !properties) return schema;
  const isKept = ([name, field]: [string, Schema]) => required.includes(name) || isReadableField(field, styles[name]);
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(isKept)) };
}

/** Whether a field has an empty text, which many servers take for no value. */
function isEmptied(value: unknown): boolean {
  return isObject(value) && Object.values(value).includes('');
}

/** The fields of a value; undefined if it is no object, or one of its fields cannot be sent in a form. */
function fieldsOf(
  value: unknown,
  { schema, partTypes, styles = {} }: MediaType,
  mediaType: string,
): FormField[] | undefined {
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value).map(([name, field]): FormField[] | undefined => {
    const items = Array.isArray(field) ? (field as unknown[]) : [field];
    const { [name]: property } = schemaFieldsOf(schema);
    const { format, contentMediaType } = (property?.items ?? property ?? {}) as Record<string, string | undefined>;
    if (isMultipart(mediaType) && items.some((item) => typeof item === 'object' && item !== null))
      return items.map((item) => ({ name, text: JSON.stringify(item), mediaType: 'application/json' }));
    const type = partTypes[name] ?? contentMediaType ?? (format === 'binary' ? 'application/octet-stream' : undefined);
    const pairs = pairsOfParameter({ name, ...(styles[name] ?? { style: 'form', explode: true }) }, field);
    return pairs?.map(([each, text]) => ({ name: each, text, mediaType: type }));
  });
  return fields.every((each) => each !== undefined) ? fields.flat() : undefined;
}

function urlEncodedText(fields: readonly FormField[]): string {
  return new URLSearchParams(fields.map(({ name, text }): [string, string] => [name, text])).toString();
}

/** RFC 7578, section 4. */
function multipartText(fields: readonly FormField[]): string {
  const parts = fields.map((field) => {
    const { name, text, mediaType } = field;
    const file = isFile(field) ? `; filename="${escaped(name)}"` : '';
    const type = mediaType === undefined ? '' : `Content-Type: ${mediaType}\r\n`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${file}\r\n${type}\r\n${text}\r\n`;
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** As browsers write a name (HTML, section 4.10.21.8). */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** The text that an operation documents as its body, of a media type that is neither JSON nor a form. */
export function otherBodyOf({
  requestBody,
}: Operation): Pick<SchemaBody, 'text' | 'content' | 'isGuessed'> | undefined {
  for (const [mediaType, { examples, schema }] of Object.entries(requestBody?.content ?? {})) {
    if (isJson(mediaType) || isForm(mediaType)) continue;
    const [example] = Object.values(examples);
    const value = example ? example.value : sampleOf(schema);
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    const contentType = mediaType.replace('*/*', 'application/octet-stream');
    return { text: String(value), content: [['Content-Type', contentType]], isGuessed: !example };
  }
  return undefined;
}
