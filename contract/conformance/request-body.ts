/** Checks the body of a request against the document: its media type, its size, and its value if it is JSON or a form. */
import { parse as parseContentType } from 'content-type';
import type { MediaType, Operation, RequestBody, Schema } from '../document/model.ts';
import { isForm, isReadableForm, valueOfForm } from './form.ts';
import type { HeaderFields } from './header-fields.ts';
import { contentOfType, isJson } from './media-type.ts';
import { schemaViolations } from './schema-violations.ts';
import type { Violation } from './violation.ts';

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
