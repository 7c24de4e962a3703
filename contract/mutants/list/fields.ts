import { bodyMutants, eachFile, set, unset } from '../tampering.ts';

const setting = 'getVerificationSetting|updateVerificationSetting 200';
const readCase = 'getCase 200';

/** Fields that are missing, and fields that should not be there. */
export const fieldMutants = bodyMutants([
  [
    'setting-off-left-out',
    'enabled is omitted while it is off',
    setting,
    (body) => (body.enabled === true ? body : {}),
  ],
  ['setting-update-without-body', 'an update returns an empty object', 'updateVerificationSetting 200', () => ({})],
  ['case-without-total-files', 'total_files is missing', readCase, unset('total_files')],
  [
    'case-without-locked-at',
    'locked_at is missing while the case is open',
    readCase,
    (body) => (body.locked_at === null ? unset('locked_at')(body, undefined as never) : body),
  ],
  [
    'case-nulls-left-out',
    'null fields are omitted',
    readCase,
    (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
  ],
  ['case-without-files', 'files is missing', readCase, unset('files' as never)],
  ['case-without-updated-at', 'updated_at is missing', readCase, unset('updated_at')],
  ['file-without-id', 'file_id is missing', readCase, eachFile(unset('file_id'))],
  ['file-without-thumbnail', 'thumbnail_url is missing', readCase, eachFile(unset('thumbnail_url'))],
  ['file-without-mime-type', 'mime_type is missing', readCase, eachFile(unset('mime_type'))],
  [
    'file-nulls-left-out',
    'the completion time of an unfinished analysis is omitted',
    readCase,
    eachFile((file) =>
      file.analysis_completed_at === null ? unset('analysis_completed_at')(file, undefined as never) : file,
    ),
  ],
  [
    'setting-with-extra-field',
    'the setting includes its organisation',
    setting,
    set({ organisation_id: 'de300000-0000-4000-8000-000000000001' } as object),
  ],
  [
    'case-with-extra-field',
    'a case includes its organisation',
    readCase,
    set({ organisation_id: 'de300000-0000-4000-8000-000000000001' } as object),
  ],
  [
    'file-with-extra-field',
    'a file includes its storage location',
    readCase,
    eachFile(set({ storage_path: '/srv/files/0b9d7c64' } as object)),
  ],
  ['case-in-camel-case', 'field names are in camel case', readCase, (body) => camelCased(body)],
  ['response-in-envelope', 'successes are in an envelope', '* 200', (body) => ({ data: body })],
  ['error-without-code', 'error_code is missing', '* 4..', unset('error_code')],
  ['error-without-message', 'error_message is missing', '* 4..', unset('error_message')],
  ['error-in-envelope', 'errors are in an envelope', '* 4..', (body) => ({ error: body })],
  [
    'error-as-problem-details',
    'errors have the fields of RFC 9457',
    '* 4..',
    (body) => ({ type: 'about:blank', title: body.error_message }),
  ],
  [
    'error-with-stack',
    'errors include the stack trace',
    '* ...',
    (body) => (body.error_code === undefined ? body : { ...body, stack: 'Error\n    at app.ts:12:3' }),
  ],
]);

function camelCased(body: object): object {
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value as unknown]));
}
