import { bodyMutants, eachFile, set } from '../tampering.ts';

const readCase = 'getCase 200';
const now = () => new Date().toISOString();

/** States and times of a case that contradict each other. */
export const relationMutants = bodyMutants([
  ['locked-without-time', 'is_locked is true without locked_at', readCase, (body) => ({ ...body, is_locked: true })],
  ['open-with-time-of-lock', 'is_locked stays false whatever locked_at says', readCase, set({ is_locked: false })],
  [
    'lock-time-of-every-case',
    'locked_at is there for an open case',
    readCase,
    (body) => ({ ...body, locked_at: body.updated_at }),
  ],
  [
    'complete-too-early',
    'a case is complete once one file is',
    readCase,
    (body) => ({
      ...body,
      ...(body.files?.length && {
        file_analysis_status: 'file_analysis_complete',
        file_analysis_completed_at: body.updated_at,
      }),
    }),
  ],
  [
    'complete-without-files',
    'a case without files is complete',
    readCase,
    (body) => ({
      ...body,
      ...(!body.files?.length && {
        file_analysis_status: 'file_analysis_complete',
        file_analysis_completed_at: body.updated_at,
      }),
    }),
  ],
  [
    'never-complete',
    'a case whose files are analysed keeps waiting',
    readCase,
    set({ file_analysis_status: 'waiting_for_file_analysis', file_analysis_completed_at: null }),
  ],
  [
    'complete-without-time',
    'a complete case has no time of completion',
    readCase,
    set({ file_analysis_completed_at: null }),
  ],
  [
    'completed-when-read',
    'the time of completion is that of the reading',
    readCase,
    (body) => ({ ...body, file_analysis_completed_at: body.file_analysis_completed_at && now() }),
  ],
  [
    'file-complete-without-time',
    'an analysed file has no time of its end',
    readCase,
    eachFile(set({ analysis_completed_at: null })),
  ],
  [
    'file-time-before-its-end',
    'a file that waits has a time of its end',
    readCase,
    eachFile((file) => ({ ...file, analysis_completed_at: file.analysis_completed_at ?? file.uploaded_at })),
  ],
  [
    'updated-before-created',
    'created_at and updated_at are swapped',
    readCase,
    (body) => ({ ...body, created_at: body.updated_at, updated_at: body.created_at }),
  ],
  [
    'times-an-hour-ahead',
    'times are local, but say that they are in UTC',
    readCase,
    (body) => ({ ...body, created_at: later(body.created_at), updated_at: later(body.updated_at) }),
  ],
  ['updated-when-read', 'updated_at changes at each reading', readCase, (body) => ({ ...body, updated_at: now() })],
]);

function later(time: unknown): string {
  return new Date(Date.parse(String(time)) + 3_600_000).toISOString();
}
