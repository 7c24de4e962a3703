/** What is promised of a case and its files: by the interface document (sections 2.3 and 2.4), and by decisions. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../document/model.ts';
import { told } from '../oracle/json.ts';
import type { HttpResponse } from '../oracle/messages.ts';
import { schemaViolations } from '../oracle/schema.ts';
import type { KnownCase } from '../oracle/world.ts';

export const objectOf = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => {
  return { type: 'object', required, properties };
};
const text: Schema = { type: 'string' };
const uuid: Schema = { type: 'string', pattern: '^[\\dA-Fa-f]{8}(-[\\dA-Fa-f]{4}){3}-[\\dA-Fa-f]{12}$' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d' };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** The interface document does not say whether a field may be absent, or the last one null. */
const fileFields = {
  file_id: uuid,
  label: text,
  uploaded_at: time,
  thumbnail_url: text,
  mime_type: text,
  analysis_status: { type: 'string', minLength: 1 },
  analysis_completed_at: orNull(time),
};

const aCase = objectOf({
  case_id: uuid,
  label: orNull(text),
  metadata: { type: 'object' },
  is_locked: { type: 'boolean' },
  locked_at: orNull(time),
  file_analysis_status: { enum: ['waiting_for_file_analysis', 'file_analysis_complete'] },
  file_analysis_completed_at: orNull(time),
  created_at: time,
  updated_at: time,
  files: { type: 'array', items: objectOf(fileFields, []) },
  total_files: { type: 'integer' },
});

const clockToleranceMs = 60_000;

/** What is wrong with the fields of a case, by the interface document. */
export function caseFieldsFault(body: unknown, { headers }: HttpResponse): string | undefined {
  const [fault] = schemaViolations('the case', aCase, body, true);
  if (fault !== undefined) return fault;
  const { files, total_files: total, ...fields } = body as Case;
  if (total < files.length) return `expected a total_files of ${files.length}, got ${told(total)}`;
  const latest = (Date.parse(headers['date'] ?? '') || Date.now()) + clockToleranceMs;
  const toCome = (['created_at', 'updated_at'] as const).find((name) => !(Date.parse(fields[name]) <= latest));
  return toCome && `expected a time that has come in ${toCome}, got ${told(fields[toCome])}`;
}

/** Decisions D7 and D30; a label of 255 characters may have twice as many UTF-16 units. */
const label = { type: 'string', maxLength: 255 };
const decidedFiles = { type: 'array', items: objectOf({ label }, Object.keys(fileFields)) };
const decidedCase = objectOf({ label: orNull(label), files: decidedFiles }, []);
const mostMetadataBytes = 65_536;

/** What is wrong with the sizes of a case. */
export function caseSizesFault(body: unknown): string | undefined {
  const { metadata = {} } = (body ?? {}) as { metadata?: unknown };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  const [fault] = schemaViolations('the case', decidedCase, body, true);
  if (fault !== undefined || bytes <= mostMetadataBytes) return fault;
  return `expected metadata of at most 64 KiB, got ${bytes} bytes`;
}

export type CaseFile = Readonly<Record<'file_id' | 'uploaded_at' | 'mime_type' | 'analysis_status', string>> & {
  readonly analysis_completed_at: string | null;
};

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

/** RFC 9110, section 8.3.1. */
const mediaType = /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+([ \t]*;.*)?$/;

/**
 * Relations between the fields of a case, as the document describes it, that a schema cannot express (decisions D8, D28, D29 and
 * D180), and times that are not in UTC: client generators do not support a pattern together with the format `date-time`.
 */
export function caseRelationsFault(body: unknown): string | undefined {
  const {
    files,
    created_at: created,
    updated_at: updated,
    file_analysis_completed_at: completed,
    ...rest
  } = body as Case;
  const { is_locked: isLocked, locked_at: locked, total_files: total, file_analysis_status: status } = rest;
  const ended = files.filter(({ analysis_status: each }) => /^analysis_(complete|failed)$/.test(each));
  const isComplete = files.length > 0 && ended.length === files.length;
  const lastEnd = Math.max(...ended.map((file) => Date.parse(file.analysis_completed_at ?? '')));
  const inOrder = (earlier: string, later: string | null) => later === null || Date.parse(earlier) <= Date.parse(later);
  const times = files.flatMap((file) => [file.uploaded_at, file.analysis_completed_at]);
  const isSorted = files.every((file, at) => at === 0 || byUpload(files[at - 1] as CaseFile, file) <= 0);
  const isUtc = (time: string | null) => time === null || /(Z|[+-]00:00)$/i.test(time);
  const hasEnd = (file: CaseFile) => file.analysis_completed_at !== null;
  const relations = {
    'is_locked does not agree with locked_at': isLocked === (locked !== null),
    'total_files is not the number of files': total === files.length,
    'a file is listed twice': new Set(files.map((file) => file.file_id)).size === files.length,
    'the files are not ordered by uploaded_at, then file_id': isSorted,
    'file_analysis_status does not agree with the files': (status === 'file_analysis_complete') === isComplete,
    'analysis_completed_at of a file does not agree with its analysis_status': files.every(
      (file) => ended.includes(file) === hasEnd(file),
    ),
    'file_analysis_completed_at does not agree with the files':
      completed === null ? !isComplete : isComplete && Date.parse(completed) === lastEnd,
    'a time is not in UTC': [created, updated, locked, completed, ...times].every(isUtc),
    'mime_type of a file is not a media type': files.every((file) => mediaType.test(file.mime_type)),
    'updated_at is before created_at': inOrder(created, updated),
    'locked_at is before created_at': inOrder(created, locked),
    'uploaded_at of a file is before created_at of the case': files.every((file) => inOrder(created, file.uploaded_at)),
    'analysis_completed_at of a file is before its uploaded_at': files.every((file) =>
      inOrder(file.uploaded_at, file.analysis_completed_at),
    ),
  };
  return Object.entries(relations).find(([, holds]) => !holds)?.[0];
}

/** The order of the files of a case. */
export function byUpload(one: CaseFile, other: CaseFile): number {
  return Date.parse(one.uploaded_at) - Date.parse(other.uploaded_at) || (one.file_id < other.file_id ? -1 : 1);
}

/** What is wrong with the files of a case, by what is known of this case and of others. */
export function filesFault(body: unknown, id: string, cases: ReadonlyMap<string, KnownCase>): string | undefined {
  const [files, total] = [filesOf(body), (body as Partial<Case> | null)?.total_files ?? NaN];
  const expected = cases.get(id)?.hasFiles;
  // Whether its fields are right is another rule.
  if (files && expected !== undefined && (files.length > 0 && total > 0) !== expected)
    return `expected ${expected ? '' : 'no '}files, got ${files.length}, counted as ${total}`;
  const others = [...cases].flatMap(([other, { content }]) => (other === id ? [] : (filesOf(content) ?? [])));
  const shared = files?.find((file) => others.some(({ file_id: other }) => other === file.file_id));
  return shared && `expected files of its own, got ${shared.file_id}, which another case lists as well`;
}

function filesOf(body: unknown): Case['files'] | undefined {
  const { files } = (body ?? {}) as Partial<Case>;
  return Array.isArray(files) ? (files as Case['files']) : undefined;
}

/** What changes while the files of a case are analysed, beside those files that are not yet. */
const movedByAnalysis = /^(file_analysis_status|file_analysis_completed_at|updated_at)$/;

/** A time of a case, which may be spelled in several ways, as a number; any other value as it is. */
export function timeOf(name: string, value: unknown): unknown {
  const isTime = typeof value === 'string' && /_at$/.test(name) && /^\d{4}-\d\d-\d\dT/i.test(value);
  return isTime ? Date.parse(value) : value;
}

/** Whether two bodies are the same case, in any order of members and spelling of times, and as far as analysed. */
export function sameCase(one: unknown, other: unknown): boolean {
  const both = [one, other] as readonly (Partial<Case> | null)[];
  const isWaiting = both.some((body) => body?.file_analysis_status === 'waiting_for_file_analysis');
  const unfinished = both
    .flatMap((body) => (isWaiting && filesOf(body)) || [])
    .filter((file) => !file.analysis_completed_at);
  const moved = new Set(unfinished.map(({ file_id: id }) => id));
  const [a, b] = both.map((body): unknown =>
    JSON.parse(JSON.stringify(body), (name, value: unknown) => {
      if (isWaiting && movedByAnalysis.test(name)) return undefined;
      // An upload moves a file to another place.
      if (isWaiting && name === 'files' && Array.isArray(value))
        return (value as Case['files']).filter(({ file_id: id }) => !moved.has(id));
      return timeOf(name, value);
    }),
  );
  return isDeepStrictEqual(a, b);
}
