import { fieldSchema, isForm, isMultipart, isReadableForm, valueOfForm } from '../conformance/form.ts';
import { pairsOfParameter } from '../conformance/parameter-style.ts';
import type { MediaType, Operation } from '../document/model.ts';
import type { SchemaBody } from './json-body.ts';
import { sampleOf } from './schema/sample.ts';

/** The body of a form. */
export interface FormBody extends SchemaBody {
  /** The parts of a multipart form; none if the form is URL-encoded. */
  readonly parts: readonly FormField[];
}

/** A field as it is sent. */
export interface FormField {
  readonly name: string;
  readonly text: string;
  /** The media type of a part that is a file or JSON; undefined for a text. */
  readonly mediaType: string | undefined;
}

/** Whether a field is sent as a file. */
export function isFile({ mediaType }: FormField): boolean {
  return mediaType !== undefined && mediaType !== 'application/json';
}

/** The same in each run, so that a run can be repeated. */
const boundary = 'document-analysis-contract-form';

/** The form that the operation documents; undefined if it documents none that can be sent. */
export function formBodyOf({ requestBody }: Operation): FormBody | undefined {
  for (const [mediaType, media] of Object.entries(requestBody?.content ?? {})) {
    if (!isForm(mediaType)) continue;
    const { schema, examples } = media;
    const [example] = Object.values(examples);
    // An empty form is no body at all.
    const valid = example ? example.value : (schema.example ?? sampleOf({ minProperties: 1, ...schema }));
    const fields = fieldsOf(valid, media, mediaType);
    if (!fields || fields.length === 0) continue;
    const hasParts = isMultipart(mediaType);
    const contentType = hasParts ? `${mediaType}; boundary=${boundary}` : mediaType;
    const formOf = hasParts ? multipartText : urlEncodedText;
    const isReadable = isReadableForm(mediaType, schema);
    return {
      schema,
      valid,
      text: formOf(fields),
      content: [['Content-Type', contentType]],
      isGuessed: !example,
      required: requestBody?.required ?? false,
      parts: hasParts ? fields : [],
      textOf: (value) => {
        const changed = isReadable ? fieldsOf(value, media, mediaType) : undefined;
        return changed && formOf(changed);
      },
      valueOf: (text) => valueOfForm(schema, contentType, Buffer.from(text)),
    };
  }
  return undefined;
}

/** The fields of a value; undefined if it is no object, or one of its fields cannot be sent in a form. */
function fieldsOf(value: unknown, { schema, partTypes }: MediaType, mediaType: string): FormField[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value).map(([name, field]: [string, unknown]): FormField[] | undefined => {
    const items = Array.isArray(field) ? (field as unknown[]) : [field];
    const property = fieldSchema(schema, name);
    const { format, contentMediaType } = (property?.items ?? property ?? {}) as Record<string, string | undefined>;
    if (isMultipart(mediaType) && items.some((item) => typeof item === 'object' && item !== null))
      return items.map((item) => ({ name, text: JSON.stringify(item), mediaType: 'application/json' }));
    const type = partTypes[name] ?? contentMediaType ?? (format === 'binary' ? 'application/octet-stream' : undefined);
    const pairs = pairsOfParameter({ name, style: 'form', explode: true }, field);
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
