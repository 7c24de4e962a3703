import { type Body, type BodyEdit, bodyMutants, eachFile, set } from '../tampering.ts';

const readCase = 'getCase 200';
type Time = 'created_at' | 'updated_at' | 'locked_at' | 'uploaded_at' | 'analysis_completed_at';

/** Values outside their enumeration, and texts that violate their format. */
export const formatMutants = bodyMutants([
  [
    'case-status-unknown',
    'file_analysis_status has an unknown value',
    readCase,
    set({ file_analysis_status: 'processing' }),
  ],
  [
    'case-status-in-capitals',
    'file_analysis_status is in upper case',
    readCase,
    (body) => ({ ...body, file_analysis_status: String(body.file_analysis_status).toUpperCase() }),
  ],
  ['case-status-empty', 'file_analysis_status is empty', readCase, set({ file_analysis_status: '' })],
  [
    'file-status-with-space',
    'analysis_status has spaces instead of underscores',
    readCase,
    eachFile((file) => ({ ...file, analysis_status: String(file.analysis_status).replaceAll('_', ' ') })),
  ],
  [
    'file-status-misspelt',
    'analysis_status is misspelt',
    readCase,
    eachFile((file) => ({ ...file, analysis_status: String(file.analysis_status).replace('complete', 'completed') })),
  ],
  [
    'case-id-with-prefix',
    'case_id is not a UUID',
    readCase,
    (body) => ({ ...body, case_id: `case_${String(body.case_id)}` }),
  ],
  [
    'file-id-without-dashes',
    'file_id has no dashes',
    readCase,
    eachFile((file) => ({ ...file, file_id: String(file.file_id).replaceAll('-', '') })),
  ],
  [
    'file-id-in-braces',
    'file_id is in braces',
    readCase,
    eachFile((file) => ({ ...file, file_id: `{${String(file.file_id)}}` })),
  ],
  [
    'created-at-date-only',
    'created_at is a date without a time',
    readCase,
    time('created_at', (text) => text.slice(0, 10)),
  ],
  [
    'created-at-without-zone',
    'created_at has no time zone',
    readCase,
    time('created_at', (text) => text.replace('Z', '')),
  ],
  [
    'created-at-in-another-zone',
    'created_at is the same time in another zone than UTC',
    readCase,
    time('created_at', (text) => new Date(Date.parse(text) + 3_600_000).toISOString().replace('Z', '+01:00')),
  ],
  [
    'updated-at-as-http-date',
    'updated_at has the format of an HTTP date',
    readCase,
    time('updated_at', (text) => new Date(text).toUTCString()),
  ],
  [
    'updated-at-impossible-day',
    'updated_at is a date that does not exist',
    readCase,
    time('updated_at', (text) => text.replace(/-\d\dT/, '-32T')),
  ],
  [
    'case-empty-text-for-null',
    'times that are null are empty strings',
    readCase,
    (body) => Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? ''])),
  ],
  [
    'file-never-for-null',
    'the completion time of an unfinished analysis is "never"',
    readCase,
    eachFile((file) => ({ ...file, analysis_completed_at: file.analysis_completed_at ?? 'never' })),
  ],
  [
    'uploaded-at-with-short-zone',
    'uploaded_at has a zone without a colon',
    readCase,
    eachFile(time('uploaded_at', (text) => text.replace('Z', '+0000'))),
  ],
  [
    'uploaded-at-in-seconds',
    'uploaded_at is a number of seconds in a string',
    readCase,
    eachFile(time('uploaded_at', (text) => String(Date.parse(text) / 1000))),
  ],
  ['case-label-too-long', 'label has more than 255 characters', readCase, set({ label: 'x'.repeat(256) })],
  [
    'file-label-too-long',
    'the label of a file has more than 255 characters',
    readCase,
    eachFile(set({ label: 'x'.repeat(256) })),
  ],
]);

function time(name: Time, edit: (text: string) => string): BodyEdit {
  return (body: Body) => ({ ...body, [name]: edit(String(body[name])) });
}
