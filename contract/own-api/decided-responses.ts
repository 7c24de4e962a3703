/** What decisions of this project demand of a response, beyond what a document can say. */
import { allowedMethods } from '../document/index.ts';
import type { ApiDocument, MediaType, Operation } from '../document/model.ts';
import { repeatedName } from '../oracle/json.ts';
import { broken, brokenHeader, type HttpResponse, type Violation } from '../oracle/messages.ts';

/** Where the service publishes its documentation (decision D80), in addition to the documented operations. */
export const documentationPaths = ['/docs/', '/openapi.json', '/openapi.yaml'];

/** Whether a path is that of a public file that the document does not describe. */
export function isPublishedFile(path: string): boolean {
  const [plain = ''] = path.split('?');
  return documentationPaths.includes(plain) || /^\/(docs|thumbnails)\//.test(plain);
}

/** Violations of decisions on headers. */
export function decidedHeaderViolations(document: ApiDocument, path: string, response: HttpResponse): Violation[] {
  const { status, headers, fieldLines = {} } = response;
  // A header that is not a list may be sent only once (RFC 9110, section 5.3); Node.js hides the other lines.
  const repeated = ['Content-Type', 'X-Request-Id', 'Retry-After'].filter(
    (header) => (fieldLines[header.toLowerCase()] ?? []).length > 1,
  );
  const window = /;w=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1];
  const waitsTooLong = status === 429 && window !== undefined && Number(headers['retry-after']) > Number(window);
  return [
    ...repeated.flatMap((header) => {
      const messages = [`the header ${header} is sent more than once`];
      return header === 'Content-Type' ? broken('media type', messages) : brokenHeader(header, messages);
    }),
    ...brokenHeader('Allow', status === 405 ? allowFaults(document, path, headers['allow'] ?? '') : []),
    ...brokenHeader(
      'Retry-After',
      waitsTooLong ? [`the header Retry-After is longer than the window of ${window} s`] : [],
    ),
  ];
}

/** `Allow` lists exactly the methods of the path, and HEAD if it has GET (decision D17). */
function allowFaults(document: ApiDocument, path: string, allow: string): string[] {
  const promised = allowedMethods(document, path);
  if (promised.length === 0) return [];
  const allowed = allow.split(/[ \t]*,[ \t]*/);
  const missing = promised.filter((method) => !allowed.includes(method));
  const others = allowed.filter((method) => !promised.includes(method));
  const shown = (method: string) => (/^[A-Z]{1,20}$/.test(method) ? method : 'an invalid method');
  return [
    ...missing.map((method) => `the header Allow does not list ${method}`),
    ...others.map((method) => `the header Allow lists ${shown(method)}`),
  ];
}

interface ErrorBody {
  readonly error_code?: string;
  readonly error_details?: { readonly field?: string; readonly errors?: readonly { readonly field: string }[] };
}

/** Violations of decisions on a body that is as its schema describes it. */
export function decidedBodyViolations(
  { schemas }: ApiDocument,
  operation: Operation | undefined,
  { examples }: MediaType,
  { status, text }: HttpResponse,
  body: unknown,
  allowExtraCodes: boolean,
): Violation[] {
  const repeated = repeatedName(text);
  if (repeated !== undefined) return broken('body', [`the body has the member ${repeated} twice in one object`]);
  // Another document may have an operation of the same name.
  if (status < 400)
    return hasRelations(operation?.operationId) && Array.isArray((body as Partial<Case> | null)?.files)
      ? broken('relation', caseFaults(body as Case))
      : [];
  const { error_code: code, error_details: details } = (body ?? {}) as ErrorBody;
  const [first] = details?.errors ?? [];
  if (first && details?.field !== first.field)
    return broken('body', ['error_details.field is not the first field that error_details.errors names']);
  const belonging = Object.values(examples).map(({ value }) => (value as { error_code?: string }).error_code);
  const known = schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  if (code === undefined || belonging.includes(code) || (allowExtraCodes && !known.includes(code))) return [];
  return broken('error code', [`the error code ${code} does not belong to the status ${status}`]);
}

/** Whether fields of the operation's successful responses depend on one another. */
export function hasRelations(operationId: string | undefined): boolean {
  return operationId === 'getCase';
}

interface Case {
  readonly is_locked: boolean;
  readonly locked_at: string | null;
  readonly file_analysis_status: string;
  readonly file_analysis_completed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly total_files: number;
  readonly files: readonly (Readonly<Record<'file_id' | 'uploaded_at' | 'mime_type' | 'analysis_status', string>> & {
    readonly analysis_completed_at: string | null;
  })[];
}

/** RFC 9110, section 8.3.1. */
const mediaType = /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+([ \t]*;.*)?$/;

/**
 * The relations between the fields of a case that a schema cannot express (decisions D8, D28, D29 and D180), and times
 * that are not in UTC: client generators do not support a pattern together with the format `date-time`.
 */
function caseFaults(body: Case): string[] {
  const { files, created_at: created, file_analysis_completed_at: completed } = body;
  const ended = files.filter(({ analysis_status: status }) => /^analysis_(complete|failed)$/.test(status));
  const isComplete = files.length > 0 && ended.length === files.length;
  const lastEnd = Math.max(...ended.map(({ analysis_completed_at: time }) => Date.parse(time ?? '')));
  const byId = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const sorted = files.toSorted(
    (a, b) => Date.parse(a.uploaded_at) - Date.parse(b.uploaded_at) || byId(a.file_id, b.file_id),
  );
  const times = [created, body.updated_at, body.locked_at, completed];
  const ofFiles = files.flatMap((file) => [file.uploaded_at, file.analysis_completed_at]);
  const inOrder = (earlier: string, later: string | null) => later === null || Date.parse(earlier) <= Date.parse(later);
  const promisedStatus = isComplete ? 'file_analysis_complete' : 'waiting_for_file_analysis';
  const isCompletedAt = isComplete ? completed !== null && Date.parse(completed) === lastEnd : completed === null;
  const isEndedAt = files.every((file) => ended.includes(file) === (file.analysis_completed_at !== null));
  const isUploadedInOrder = files.every((file) => inOrder(created, file.uploaded_at));
  const isAnalysedInOrder = files.every((file) => inOrder(file.uploaded_at, file.analysis_completed_at));
  const relations: [holds: boolean, message: string][] = [
    [body.is_locked === (body.locked_at !== null), 'is_locked does not agree with locked_at'],
    [body.total_files === files.length, 'total_files is not the number of files'],
    [new Set(files.map((file) => file.file_id)).size === files.length, 'a file is listed twice'],
    [sorted.every((file, index) => file === files[index]), 'the files are not ordered by uploaded_at, then file_id'],
    [body.file_analysis_status === promisedStatus, 'file_analysis_status does not agree with the files'],
    [isCompletedAt, 'file_analysis_completed_at does not agree with the files'],
    [isEndedAt, 'analysis_completed_at of a file does not agree with its analysis_status'],
    [[...times, ...ofFiles].every((time) => time === null || /(Z|[+-]00:00)$/i.test(time)), 'a time is not in UTC'],
    [files.every((file) => mediaType.test(file.mime_type)), 'mime_type of a file is not a media type'],
    [inOrder(created, body.updated_at), 'updated_at is before created_at'],
    [inOrder(created, body.locked_at), 'locked_at is before created_at'],
    [isUploadedInOrder, 'uploaded_at of a file is before created_at of the case'],
    [isAnalysedInOrder, 'analysis_completed_at of a file is before its uploaded_at'],
  ];
  return relations.flatMap(([holds, message]) => (holds ? [] : [message]));
}
