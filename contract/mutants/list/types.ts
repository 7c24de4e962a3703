import { bodyMutants, eachFile, set } from '../tampering.ts';

const read = 'getVerificationSetting 200';
const update = 'updateVerificationSetting 200';
const readCase = 'getCase 200';

/** Values of another type than documented, and nulls where none are allowed. */
export const typeMutants = bodyMutants([
  ['setting-read-as-text', 'enabled is a string', read, (body) => ({ enabled: String(body.enabled) })],
  ['setting-read-as-number', 'enabled is 0 or 1', read, (body) => ({ enabled: Number(body.enabled) })],
  ['setting-read-off-as-null', 'enabled is null while it is off', read, (body) => ({ enabled: body.enabled || null })],
  ['setting-read-in-a-list', 'the setting is in an array', read, (body) => [body]],
  ['setting-read-bare', 'the setting is a bare boolean', read, (body) => JSON.stringify(body.enabled)],
  ['setting-updated-as-text', 'enabled is a string', update, (body) => ({ enabled: String(body.enabled) })],
  ['setting-updated-as-null', 'enabled is null after an update', update, set({ enabled: null })],
  ['case-label-as-number', 'label is a number', readCase, set({ label: 1042 })],
  [
    'case-metadata-as-list',
    'metadata is an array of pairs',
    readCase,
    (body) => ({ ...body, metadata: [body.metadata] }),
  ],
  [
    'case-metadata-as-text',
    'metadata is JSON in a string',
    readCase,
    (body) => ({ ...body, metadata: '{"source":"demo"}' }),
  ],
  ['case-metadata-null', 'metadata is null', readCase, set({ metadata: null })],
  [
    'case-is-locked-as-number',
    'is_locked is 0 or 1',
    readCase,
    (body) => ({ ...body, is_locked: Number(body.is_locked) }),
  ],
  [
    'case-total-files-as-text',
    'total_files is a string',
    readCase,
    (body) => ({ ...body, total_files: String(body.total_files) }),
  ],
  ['case-total-files-null', 'total_files is null', readCase, set({ total_files: null })],
  [
    'case-no-files-as-null',
    'files is null if there are none',
    readCase,
    (body) => ({ ...body, files: body.files?.length ? body.files : null }),
  ],
  [
    'case-files-by-id',
    'files is an object by file_id',
    readCase,
    (body) => ({ ...body, files: Object.fromEntries((body.files ?? []).map((file) => [String(file.file_id), file])) }),
  ],
  [
    'case-created-at-as-number',
    'created_at is a number of milliseconds',
    readCase,
    (body) => ({ ...body, created_at: Date.parse(String(body.created_at)) }),
  ],
  ['case-created-at-null', 'created_at is null', readCase, set({ created_at: null })],
  ['case-id-null', 'case_id is null', readCase, set({ case_id: null })],
  ['file-label-null', 'the label of a file is null', readCase, eachFile(set({ label: null }))],
  [
    'file-thumbnail-null',
    'thumbnail_url is null until the thumbnail exists',
    readCase,
    eachFile((file) => ({ ...file, thumbnail_url: file.analysis_completed_at ? file.thumbnail_url : null })),
  ],
  [
    'file-mime-type-as-list',
    'mime_type is split into an array',
    readCase,
    eachFile((file) => ({ ...file, mime_type: String(file.mime_type).split('/') })),
  ],
  ['error-code-as-number', 'error_code is the status as a number', '* 4..', set({ error_code: 400 })],
  [
    'error-message-as-object',
    'error_message is an object by language',
    '* 4..',
    (body) => ({ ...body, error_message: { en: body.error_message } }),
  ],
  ['error-details-as-text', 'error_details is a string', '* 400', set({ error_details: 'enabled' as never })],
  ['error-details-null', 'error_details is null if there are none', '* 40[134]', set({ error_details: null as never })],
]);
