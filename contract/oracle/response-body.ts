import type { ApiDocument, DocumentedResponse, MediaType, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { repeatedName } from './json.ts';
import { contentOfType, encodingFault, isJson, mediaTypeOf } from './media-type.ts';
import type { ConformanceOptions, ContractRule, HttpResponse, Violation } from './documented-response.ts';
import { schemaViolations } from './schema.ts';
import { valueOfText } from './parameters.ts';

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

/** RFC 9110, section 8.3.1. */
const mediaType = /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+([ \t]*;.*)?$/;

/** The fields of a case that depend on one another. */
interface Case {
  readonly is_locked: boolean;
  readonly locked_at: string | null;
  readonly file_analysis_status: string;
  readonly file_analysis_completed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly total_files: number;
  readonly files: readonly CaseFile[];
}

interface CaseFile {
  readonly file_id: string;
  readonly uploaded_at: string;
  readonly mime_type: string;
  readonly analysis_status: string;
  readonly analysis_completed_at: string | null;
}

/**
 * The violations of relations between fields in a successful response that a schema cannot express (decisions D8, D28
 * and D29), and times that are not in UTC: client generators do not support a pattern together with the format
 * `date-time`.
 */
export function relationViolations(operationId: string | undefined, body: unknown): string[] {
  return hasRelations(operationId) && isCase(body) ? caseViolations(body) : [];
}

/** Whether fields of the operation's successful responses depend on one another. */
export function hasRelations(operationId: string | undefined): boolean {
  return operationId === 'getCase';
}

/** Another document may have an operation of the same name. */
function isCase(body: unknown): body is Case {
  return typeof body === 'object' && body !== null && Array.isArray((body as Partial<Case>).files);
}

function caseViolations(body: Case): string[] {
  const { files } = body;
  const ended = files.filter(({ analysis_status: status }) => /^analysis_(complete|failed)$/.test(status));
  const complete = files.length > 0 && ended.length === files.length;
  const sorted = [...files].sort((a, b) => compareTimes(a.uploaded_at, b.uploaded_at) || compare(a.file_id, b.file_id));
  const last =
    ended
      .map(({ analysis_completed_at: time }) => time ?? '')
      .sort(compareTimes)
      .at(-1) ?? null;
  const faults = [
    [body.is_locked === (body.locked_at !== null), 'is_locked does not agree with locked_at'],
    [body.total_files === files.length, 'total_files is not the number of files'],
    [new Set(files.map((file) => file.file_id)).size === files.length, 'a file is listed twice'],
    [sorted.every((file, index) => file === files[index]), 'the files are not ordered by uploaded_at, then file_id'],
    [
      body.file_analysis_status === (complete ? 'file_analysis_complete' : 'waiting_for_file_analysis'),
      'file_analysis_status does not agree with the files',
    ],
    [
      complete ? sameTime(body.file_analysis_completed_at, last) : body.file_analysis_completed_at === null,
      'file_analysis_completed_at does not agree with the files',
    ],
    [
      files.every((file) => ended.includes(file) === (file.analysis_completed_at !== null)),
      'analysis_completed_at of a file does not agree with its analysis_status',
    ],
    [timesOf(body).every((time) => /(Z|[+-]00:00)$/i.test(time)), 'a time is not in UTC'],
    [files.every((file) => mediaType.test(file.mime_type)), 'mime_type of a file is not a media type'],
  ].flatMap(([holds, message]) => (holds === true ? [] : [String(message)]));
  return [...faults, ...timeOrderViolations(body)];
}

function timesOf({ files, ...body }: Case): string[] {
  const times = [body.locked_at, body.file_analysis_completed_at, body.created_at, body.updated_at];
  const ofFiles = files.flatMap((file) => [file.uploaded_at, file.analysis_completed_at]);
  return [...times, ...ofFiles].filter((time) => time !== null);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function compareTimes(a: string, b: string): number {
  return Date.parse(a) - Date.parse(b);
}

function sameTime(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && Date.parse(a) === Date.parse(b);
}

/** The times of a case and of its files; null for events that have not happened. */
export interface CaseTimes {
  readonly created_at: string;
  readonly updated_at: string;
  readonly locked_at: string | null;
  readonly files: readonly { readonly uploaded_at: string; readonly analysis_completed_at: string | null }[];
}

/** The pairs of times of a case that are in the wrong order (decision D180). */
export function timeOrderViolations({ files, ...times }: CaseTimes): string[] {
  const { created_at: created, updated_at: updated, locked_at: locked } = times;
  const inOrder = (earlier: string | null, later: string | null) =>
    earlier === null || later === null || Date.parse(earlier) <= Date.parse(later);
  const faults: [holds: boolean, message: string][] = [
    [inOrder(created, updated), 'updated_at is before created_at'],
    [inOrder(created, locked), 'locked_at is before created_at'],
    [
      files.every((file) => inOrder(created, file.uploaded_at)),
      'uploaded_at of a file is before created_at of the case',
    ],
    [
      files.every((file) => inOrder(file.uploaded_at, file.analysis_completed_at)),
      'analysis_completed_at of a file is before its uploaded_at',
    ],
  ];
  return faults.flatMap(([holds, message]) => (holds ? [] : [message]));
}
