import { bodyMutants, eachFile, set } from '../tampering.ts';

const readCase = 'getCase 200';
const now = () => new Date().toISOString();

/** States and times of a case that contradict each other. */
export const relationMutants = bodyMutants([
  ['locked-without-time', 'is_locked is true without locked_at', readCase, (body) => ({ ...body, is_locked: true })],
  ['open-with-time-of-lock', 'is_locked is always false', readCase, set({ is_locked: false })],
  [
    'lock-time-of-every-case',
    'an open case has locked_at',
    readCase,
    (body) => ({ ...body, locked_at: body.updated_at }),
  ],
  [
    'complete-too-early',
    'a case is complete as soon as one file is',
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
    'a case with analysed files is never complete',
    readCase,
    set({ file_analysis_status: 'waiting_for_file_analysis', file_analysis_completed_at: null }),
  ],
  [
    'complete-without-time',
    'a complete case has no completion time',
    readCase,
    set({ file_analysis_completed_at: null }),
  ],
  [
    'completed-when-read',
    'the completion time is the time of the read',
    readCase,
    (body) => ({ ...body, file_analysis_completed_at: body.file_analysis_completed_at && now() }),
  ],
  [
    'file-complete-without-time',
    'an analysed file has no completion time',
    readCase,
    eachFile(set({ analysis_completed_at: null })),
  ],
  [
    'file-time-before-its-end',
    'a pending file has a completion time',
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
    'times are local but marked as UTC',
    readCase,
    (body) => ({ ...body, created_at: later(body.created_at), updated_at: later(body.updated_at) }),
  ],
  ['updated-when-read', 'updated_at changes at each read', readCase, (body) => ({ ...body, updated_at: now() })],
]);

function later(time: unknown): string {
  return new Date(Date.parse(String(time)) + 3_600_000).toISOString();
}
