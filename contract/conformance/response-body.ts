import type { ApiDocument, DocumentedResponse, MediaType, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { encodingFault, repeatedName } from './json-text.ts';
import { contentOfType, isJson, mediaTypeOf } from './media-type.ts';
import { relationViolations } from './relations.ts';
import type { ConformanceOptions, HttpResponse } from './http-response.ts';
import { schemaViolations } from './schema-violations.ts';
import { valueOfText } from './text-value.ts';
import type { ContractRule, Violation } from './violation.ts';

/** A response with its documentation. */
export interface DescribedResponse {
  readonly method: string;
  readonly document: ApiDocument;
  readonly operation?: Operation;
  readonly documented: DocumentedResponse;
  readonly response: HttpResponse;
}

/** The violations of the document in a response's body, and of decisions that apply only to this API. */
export function bodyViolations(described: DescribedResponse, { allowExtraFields }: ConformanceOptions): Violation[] {
  const { method, document, response } = described;
  const { content } = described.documented;
  const isOwn = isOwnApi(document);
  const isHead = method.toLowerCase() === 'head';
  if (isHead && response.text !== '') return broken('body', ['a response to HEAD has a body']);
  if (isHeadAlone(response)) return framingViolations(response);
  // Without documented content, only this API's document promises that there is no body.
  if (Object.keys(content).length === 0)
    return isOwn && response.text !== '' ? broken('body', ['the response has a body, but none is documented']) : [];
  const mediaType = comparedTypeOf(response, isOwn);
  const documented = contentOfType(content, mediaType);
  if (!documented) return broken('media type', [`the media type ${mediaType} is not documented`]);
  if (isHead) return [];
  if (!isJson(mediaType)) return broken('body', textViolations(mediaType, documented, response));
  const encoding = response.bytes && encodingFault(response.bytes);
  if (encoding !== undefined) return broken('body', [encoding]);
  let body: unknown;
  try {
    body = JSON.parse(response.text);
  } catch {
    return broken('body', ['the body is not JSON']);
  }
  const violations = schemaViolations('the body', documented.schema, body, allowExtraFields || !isOwn);
  if (violations.length > 0) return broken('body', violations);
  const repeated = isOwn ? repeatedName(response.text) : undefined;
  if (repeated !== undefined) return broken('body', [`the body has the member ${repeated} twice in one object`]);
  return isOwn ? decidedViolations(described, documented, body, allowExtraFields) : [];
}

interface ErrorBody {
  readonly error_code?: string;
  readonly error_details?: { readonly field?: string; readonly errors?: readonly { readonly field: string }[] };
}

/** A schema is applied to text only if it describes a single value; other bodies cannot be compared with a schema. */
function textViolations(mediaType: string, { schema }: MediaType, { text }: HttpResponse): string[] {
  const isValue = ['string', 'integer', 'number', 'boolean'].includes(schema.type ?? '');
  return isValue && /^text\//i.test(mediaType)
    ? schemaViolations('the body', schema, valueOfText(schema, text), false)
    : [];
}

/** Responses without content (RFC 9112, section 6.3). */
function isHeadAlone({ status }: HttpResponse): boolean {
  return status === 204 || status === 304;
}

/** The header of a 204 can announce content that a client discards (RFC 9110, section 8.6). */
function framingViolations({ status, headers, text }: HttpResponse): Violation[] {
  const announced = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  return text !== '' || (status === 204 && announced) ? broken('body', [`a response ${status} has a body`]) : [];
}

/** For a JSON body, this API's document allows no parameter but the charset. */
function comparedTypeOf({ headers }: HttpResponse, isOwn: boolean): string {
  const sent = headers['content-type'] ?? '(none)';
  return isOwn ? mediaTypeOf(sent) : sent.replace(/[ \t]*;.*/s, '');
}

function decidedViolations(
  { document, operation, response }: DescribedResponse,
  { examples }: MediaType,
  body: unknown,
  allowExtraFields: boolean,
): Violation[] {
  if (response.status < 400) return broken('relation', relationViolations(operation?.operationId, body));
  const { error_code: code, error_details: details } = (body ?? {}) as ErrorBody;
  const [first] = details?.errors ?? [];
  if (first && details?.field !== first.field)
    return broken('body', ['error_details.field is not the first field that error_details.errors names']);
  const belonging = Object.values(examples).map(({ value }) => (value as { error_code?: string }).error_code);
  const known = document.schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  if (code === undefined || belonging.includes(code) || (allowExtraFields && !known.includes(code))) return [];
  return broken('error code', [`the error code ${code} does not belong to the status ${response.status}`]);
}

function broken(rule: ContractRule, messages: string[]): Violation[] {
  return messages.map((message) => ({ rule, message }));
}
