import { timeOrderViolations } from './time-order.ts';

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
