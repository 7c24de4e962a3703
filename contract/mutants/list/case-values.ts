import type { ProxiedRequest } from '../mutant.ts';
import { errorResponse, isOperation, withSecret } from '../requests.ts';
import { type Body, bodyMutants, eachFile, handlerMutants, set } from '../tampering.ts';

const readCase = 'getCase 200';

/** Cases of the right form that differ from the stored ones. */
export const caseValueMutants = [
  ...bodyMutants([
    [
      'label-cut-off',
      'labels are truncated to ten characters',
      readCase,
      (body) => ({ ...body, label: String(body.label).slice(0, 10) }),
    ],
    [
      'label-of-null-empty',
      'a null label is an empty string',
      readCase,
      (body) => ({ ...body, label: body.label ?? '' }),
    ],
    [
      'label-of-null-made-up',
      'a null label is replaced by the identifier',
      readCase,
      (body) => ({ ...body, label: body.label ?? body.case_id }),
    ],
    [
      'metadata-with-more',
      'metadata has an additional member',
      readCase,
      (body) => ({ ...body, metadata: { ...(body.metadata as object), _rev: 1 } }),
    ],
    [
      'metadata-renamed',
      'the member names of metadata are in upper case',
      readCase,
      (body) => ({ ...body, metadata: renamed(body.metadata as object) }),
    ],
    [
      'case-id-in-capitals',
      'case_id is in upper case',
      readCase,
      (body) => ({ ...body, case_id: String(body.case_id).toUpperCase() }),
    ],
    [
      'case-id-as-asked',
      'case_id is spelt as in the path',
      readCase,
      (body, { path }) => ({ ...body, case_id: path.split('/').at(-1)?.split('?')[0] }),
    ],
    [
      'updated-at-of-creation',
      'updated_at is the time of creation',
      readCase,
      (body) => ({ ...body, updated_at: body.created_at }),
    ],
    [
      'created-at-rounded',
      'created_at is rounded to seconds',
      readCase,
      (body) => ({ ...body, created_at: String(body.created_at).replace(/\.\d+/, '.000') }),
    ],
    [
      'locked-at-of-update',
      'a locked case is open',
      readCase,
      (body) => ({ ...body, is_locked: false, locked_at: null }),
    ],
    [
      'completion-of-the-update',
      'the completion time is the time of the last change',
      readCase,
      (body) => ({ ...body, file_analysis_completed_at: body.file_analysis_completed_at && body.updated_at }),
    ],
    [
      'total-files-with-fraction',
      'total_files has a fraction',
      readCase,
      (body) => ({ ...body, total_files: Number(body.total_files) + 0.5 }),
    ],
    [
      'total-files-of-analysed',
      'total_files counts only analysed files',
      readCase,
      (body) => ({ ...body, total_files: body.files?.filter((file) => file.analysis_completed_at !== null).length }),
    ],
    ['files-of-analysed', 'pending files are not listed', readCase, (body) => analysed(body)],
    ['file-labels-rotated', 'each file has the label of the next', readCase, (body) => rotated(body, 'label')],
    [
      'file-thumbnails-rotated',
      'each file has the thumbnail of the next',
      readCase,
      (body) => rotated(body, 'thumbnail_url'),
    ],
    ['file-ids-rotated', 'each file has the identifier of the next', readCase, (body) => rotated(body, 'file_id')],
    [
      'thumbnail-relative',
      'thumbnail_url has no host',
      readCase,
      eachFile((file) => ({ ...file, thumbnail_url: String(file.thumbnail_url).replace(/^https?:\/\/[^/]+/, '') })),
    ],
    [
      'thumbnail-of-another-scheme',
      'thumbnail_url is of neither http nor https',
      readCase,
      eachFile((file) => ({ ...file, thumbnail_url: String(file.thumbnail_url).replace(/^https?:/, 'ftp:') })),
    ],
    [
      'mime-type-unknown',
      'every file is application/octet-stream',
      readCase,
      eachFile(set({ mime_type: 'application/octet-stream' })),
    ],
    ['mime-type-empty', 'mime_type is empty', readCase, eachFile(set({ mime_type: '' }))],
    [
      'failed-told-complete',
      'a failed analysis is reported as complete',
      readCase,
      eachFile((file) => ({
        ...file,
        analysis_status: file.analysis_status === 'analysis_failed' ? 'analysis_complete' : file.analysis_status,
      })),
    ],
    [
      'awaited-told-waiting',
      'a file whose upload is awaited is reported as waiting for its analysis',
      readCase,
      eachFile((file) => ({
        ...file,
        analysis_status: file.analysis_status === 'waiting_for_upload' ? 'waiting_for_analysis' : file.analysis_status,
      })),
    ],
    [
      'file-status-of-the-case',
      'files have the status of their case',
      readCase,
      (body) => ({
        ...body,
        files: body.files?.map((file) => ({ ...file, analysis_status: body.file_analysis_status })),
      }),
    ],
    [
      'uploaded-at-null',
      'a file that awaits its upload has no upload time',
      readCase,
      eachFile((file) => ({
        ...file,
        uploaded_at: file.analysis_status === 'waiting_for_upload' ? null : file.uploaded_at,
      })),
    ],
    [
      'uploaded-at-of-creation',
      'uploaded_at is the creation time of the case',
      readCase,
      (body) => ({ ...body, files: body.files?.map((file) => ({ ...file, uploaded_at: body.created_at })) }),
    ],
    [
      'analysed-before-upload',
      'analyses end before their file is uploaded',
      readCase,
      eachFile((file) => ({
        ...file,
        analysis_completed_at: file.analysis_completed_at && '2001-01-01T00:00:00.000Z',
      })),
    ],
  ]),
  ...handlerMutants([
    [
      'locked-case-refused',
      'reading a locked case is refused',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isCase(request) && response.body.includes('"is_locked":true')
            ? errorResponse(response, 409, 'request.cases.case.already-locked')
            : response;
        },
    ],
    [
      'empty-case-not-found',
      'a case without files is not found',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isCase(request) && response.body.includes('"total_files":0')
            ? errorResponse(response, 404, 'request.cases.case.not-found')
            : response;
        },
    ],
    [
      'files-of-another-organisation',
      'a case also lists files of another organisation',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (!isCase(request) || response.status !== 200) return response;
          const path = `/cases/${credentials.other_case_id}`;
          const other = await forward(withSecret({ ...request, path }, credentials.other_access_token));
          const body = JSON.parse(response.body) as Body;
          if (other.status !== 200 || body.case_id === credentials.other_case_id) return response;
          const files = [...(body.files ?? []), ...((JSON.parse(other.body) as Body).files ?? [])];
          response.body = JSON.stringify({ ...body, files, total_files: files.length });
          return response;
        },
    ],
  ]),
];

function isCase(request: ProxiedRequest): boolean {
  return isOperation('getCase', request);
}

function analysed(body: Body): Body {
  const files = body.files?.filter((file) => file.analysis_completed_at !== null) ?? [];
  return { ...body, files, total_files: files.length };
}

function renamed(metadata: object): object {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toUpperCase(), value]));
}

function rotated(body: Body, name: 'label' | 'thumbnail_url' | 'file_id'): Body {
  const files = body.files ?? [];
  return { ...body, files: files.map((file, at) => ({ ...file, [name]: files[(at + 1) % files.length]?.[name] })) };
}
