import type { Mutant } from '../mutant.ts';
import { errorResponse, isCase, secretOf, withSecret } from '../requests.ts';
import { type Body, type BodyEdit, bodyMutants, eachFile, handlerMutants, set, unset } from '../tampering.ts';

const read = 'getVerificationSetting 200';
const update = 'updateVerificationSetting 200';
const readCase = 'getCase 200';

/** Values of another type than documented, and nulls where none are allowed. */
const typeMutants = bodyMutants([
  [
    'setting-read-as-text',
    'enabled is a string',
    'conformance.getVerificationSetting.200.body',
    read,
    (body) => ({ enabled: String(body.enabled) }),
  ],
  [
    'setting-updated-as-text',
    'enabled is a string',
    'conformance.updateVerificationSetting.200.body',
    update,
    (body) => ({ enabled: String(body.enabled) }),
  ],
  ['case-label-as-number', 'label is a number', 'conformance.getCase.200.body', readCase, set({ label: 1042 })],
  [
    'case-metadata-as-list',
    'metadata is an array of pairs',
    'conformance.getCase.200.body',
    readCase,
    (body) => ({ ...body, metadata: [body.metadata] }),
  ],
  [
    'error-code-as-number',
    'error_code is the status as a number',
    'conformance.*.body',
    '* 4..',
    set({ error_code: 400 }),
  ],
]);

type Time = 'created_at' | 'updated_at' | 'locked_at' | 'uploaded_at' | 'analysis_completed_at';

/** Values outside their enumeration, and texts that violate their format. */
const formatMutants = bodyMutants([
  [
    'case-status-unknown',
    'file_analysis_status has an unknown value',
    'conformance.getCase.200.body',
    readCase,
    set({ file_analysis_status: 'processing' }),
  ],
  [
    'case-status-in-capitals',
    'file_analysis_status is in upper case',
    'conformance.getCase.200.body',
    readCase,
    (body) => ({ ...body, file_analysis_status: String(body.file_analysis_status).toUpperCase() }),
  ],
  [
    'file-status-with-space',
    'analysis_status has spaces instead of underscores',
    'conformance.getCase.200.*',
    readCase,
    eachFile((file) => ({ ...file, analysis_status: String(file.analysis_status).replaceAll('_', ' ') })),
  ],
  [
    'file-status-misspelt',
    'analysis_status is misspelt',
    '4.3-O1.* conformance.getCase.200.*',
    readCase,
    eachFile((file) => ({ ...file, analysis_status: String(file.analysis_status).replace('complete', 'completed') })),
  ],
  [
    'created-at-in-another-zone',
    'created_at is the same time in another zone than UTC',
    'conformance.getCase.200.relation',
    readCase,
    time('created_at', (text) => new Date(Date.parse(text) + 3_600_000).toISOString().replace('Z', '+01:00')),
  ],
]);

function time(name: Time, edit: (text: string) => string): BodyEdit {
  return (body: Body) => ({ ...body, [name]: edit(String(body[name])) });
}

const setting = 'getVerificationSetting|updateVerificationSetting 200';

/** Fields that are missing, and fields that should not be there. */
const fieldMutants = bodyMutants([
  [
    'setting-off-left-out',
    'enabled is omitted while it is off',
    'conformance.getVerificationSetting.200.body',
    setting,
    (body) => (body.enabled === true ? body : {}),
  ],
  [
    'setting-update-without-body',
    'an update returns an empty object',
    'conformance.updateVerificationSetting.200.body',
    'updateVerificationSetting 200',
    () => ({}),
  ],
  [
    'case-without-total-files',
    'total_files is missing',
    'conformance.getCase.200.body',
    readCase,
    unset('total_files'),
  ],
  [
    'case-without-locked-at',
    'locked_at is missing while the case is open',
    'conformance.getCase.200.body',
    readCase,
    (body) => (body.locked_at === null ? unset('locked_at')(body, undefined as never) : body),
  ],
  [
    'response-in-envelope',
    'successes are in an envelope',
    'conformance.*.200.body',
    '* 200',
    (body) => ({ data: body }),
  ],
  ['error-without-code', 'error_code is missing', 'conformance.*.body', '* 4..', unset('error_code')],
]);

const now = () => new Date().toISOString();

/** States and times of a case that contradict each other. */
const relationMutants = bodyMutants([
  [
    'locked-without-time',
    'is_locked is true without locked_at',
    'conformance.getCase.200.relation',
    readCase,
    (body) => ({ ...body, is_locked: true }),
  ],
  [
    'completed-when-read',
    'the completion time is the time of the read',
    '4.3-O1.* conformance.getCase.200.relation',
    readCase,
    (body) => ({ ...body, file_analysis_completed_at: body.file_analysis_completed_at && now() }),
  ],
  [
    'times-an-hour-ahead',
    'times are local but marked as UTC',
    '4.3-O1.* conformance.getCase.200.relation',
    readCase,
    (body) => ({ ...body, created_at: later(body.created_at), updated_at: later(body.updated_at) }),
  ],
  [
    'updated-when-read',
    'updated_at changes at each read',
    '4.3-O1.*',
    readCase,
    (body) => ({ ...body, updated_at: now() }),
  ],
]);

function later(time: unknown): string {
  return new Date(Date.parse(String(time)) + 3_600_000).toISOString();
}

/** Files of a case that are too few, too many, in another order, or of another case. */
const fileMutants = [
  ...bodyMutants([
    [
      'total-files-one-too-many',
      'total_files is one too high',
      'conformance.getCase.200.relation',
      readCase,
      (body) => ({ ...body, total_files: Number(body.total_files) + 1 }),
    ],
    [
      'total-files-negative',
      'total_files is -1 for a case without files',
      'conformance.getCase.200.*',
      readCase,
      (body) => ({ ...body, total_files: body.total_files || -1 }),
    ],
    [
      'files-capped',
      'a case and its total_files are limited to three files',
      '4.3-O1.* conformance.getCase.200.relation',
      readCase,
      (body) => ({ ...body, files: body.files?.slice(0, 3), total_files: Math.min(3, Number(body.total_files)) }),
    ],
    [
      'file-not-waiting-for-upload',
      'the first file of a case is analysing before its content is uploaded',
      '3.3-S1.waiting-for-upload',
      readCase,
      (body) => ({
        ...body,
        files: body.files?.map((file, index) =>
          index === 0 && file.analysis_status === 'waiting_for_upload'
            ? { ...file, analysis_status: 'analysing' }
            : file,
        ),
      }),
    ],
    [
      'metadata-emptied',
      'metadata is always an empty object',
      '4.3-O1.*',
      readCase,
      (body) => ({ ...body, metadata: {} }),
    ],
  ]),
  ...handlerMutants([
    [
      'lock-seen-late',
      'a case that was read before it was locked stays unlocked',
      '3.4-S1.locked-by-the-operator',
      ({ forward }) => {
        const firstBodies = new Map<string, Body>();
        return async (request) => {
          const response = await forward(request);
          if (!isCase(request) || response.status !== 200) return response;
          const body = JSON.parse(response.body) as Body;
          const { is_locked: locked, locked_at: at } = firstBodies.get(request.path) ?? body;
          firstBodies.set(request.path, { is_locked: locked, locked_at: at });
          return { ...response, body: JSON.stringify({ ...body, is_locked: locked, locked_at: at }) };
        };
      },
    ],
    [
      'another-case-returned',
      'the response is another case of the same organisation',
      '4.3-O1.*',
      ({ forward, credentials }) =>
        (request) =>
          forward(
            isCase(request)
              ? { ...request, path: request.path.replace(credentials.case_id, credentials.empty_case_id) }
              : request,
          ),
    ],
    [
      'case-of-the-first-caller',
      'a token of another organisation reads the case of the first',
      '4.3-O1.*',
      ({ forward, credentials }) =>
        async (request) =>
          isCase(request) && secretOf(request) === credentials.other_access_token
            ? forward({ ...withSecret(request, credentials.access_token), path: `/cases/${credentials.case_id}` })
            : forward(request),
    ],
  ]),
];

/** Cases of the right form that differ from the stored ones. */
const caseValueMutants = [
  ...bodyMutants([
    [
      'label-cut-off',
      'labels are truncated to ten characters',
      '4.3-O1.*',
      readCase,
      (body) => ({ ...body, label: String(body.label).slice(0, 10) }),
    ],
    [
      'case-id-as-asked',
      'case_id is spelt as in the path',
      'conformance.getCase.200.body D16.*',
      readCase,
      (body, { path }) => ({ ...body, case_id: path.split('/').at(-1)?.split('?')[0] }),
    ],
    [
      'locked-at-of-update',
      'a locked case is open',
      '3.4-S1.locked-by-the-operator',
      readCase,
      (body) => ({ ...body, is_locked: false, locked_at: null }),
    ],
    [
      'completion-of-the-update',
      'the completion time is the time of the last change',
      'conformance.getCase.200.relation',
      readCase,
      (body) => ({ ...body, file_analysis_completed_at: body.file_analysis_completed_at && body.updated_at }),
    ],
    [
      'files-of-analysed',
      'pending files are not listed',
      '4.3-O1.* conformance.getCase.200.relation',
      readCase,
      (body) => analysed(body),
    ],
    [
      'uploaded-at-null',
      'a file that awaits its upload has no upload time',
      'conformance.getCase.200.body',
      readCase,
      eachFile((file) => ({
        ...file,
        uploaded_at: file.analysis_status === 'waiting_for_upload' ? null : file.uploaded_at,
      })),
    ],
  ]),
  ...handlerMutants([
    [
      'locked-case-refused',
      'reading a locked case is refused',
      'conformance.getCase.status 3.4-S1.*',
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
      '4.3-O1.*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isCase(request) && response.body.includes('"total_files":0')
            ? errorResponse(response, 404, 'request.cases.case.not-found')
            : response;
        },
    ],
  ]),
];

function analysed(body: Body): Body {
  const files = body.files?.filter((file) => file.analysis_completed_at !== null) ?? [];
  return { ...body, files, total_files: files.length };
}

export const responseBodyMutants: readonly Mutant[] = [
  ...typeMutants,
  ...formatMutants,
  ...fieldMutants,
  ...relationMutants,
  ...fileMutants,
  ...caseValueMutants,
];
