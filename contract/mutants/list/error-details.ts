import { bodyMutants, type BodyEdit, set } from '../tampering.ts';

const invalid = 'updateVerificationSetting 400';

/** Errors with the code or the details of another error. */
export const errorDetailMutants = bodyMutants([
  [
    'code-of-413-is-of-400',
    'a body that is too large has the code of an invalid one',
    '* 413',
    set({ error_code: 'request.validation.failed' }),
  ],
  [
    'code-of-415-is-of-400',
    'another media type has the code of an invalid body',
    '* 415',
    set({ error_code: 'request.validation.failed' }),
  ],
  [
    'code-of-405-is-of-404',
    'an unknown method has the code of an unknown path',
    '* 405',
    set({ error_code: 'request.not-found' }),
  ],
  [
    'code-of-500-unavailable',
    'a failure has the code of an unavailable service',
    '* 500',
    set({ error_code: 'service.unavailable' }),
  ],
  [
    'code-of-503-internal',
    'an unavailable service has the code of a failure',
    '* 503',
    set({ error_code: 'service.internal-error' }),
  ],
  [
    'code-of-401-by-cause',
    'a missing credential has an undocumented error code',
    '* 401',
    (body, request) =>
      request.headers.some(([name]) => /^(x-api-key|authorization)$/i.test(name))
        ? body
        : { ...body, error_code: 'request.authentication.missing' },
  ],
  ['code-empty', 'error_code is empty', '* 4..', set({ error_code: '' })],
  ['code-as-list', 'error_code is an array', '* 4..', (body) => ({ ...body, error_code: [body.error_code] })],
  ['message-as-null', 'error_message is null', '* 5..', set({ error_message: null })],
  [
    'failure-tells-file',
    'the error of a failure includes the file and line',
    '* 500',
    set({ error_message: 'TypeError: store is undefined at /app/src/http/route.ts:12:7' }),
  ],
  [
    'failure-tells-database',
    'the error of a failure includes the error of the database',
    '* 5..',
    set({ error_message: 'SQLITE_IOERR: disk I/O error' }),
  ],
  [
    'details-as-list',
    'the details of an invalid body are an array',
    invalid,
    (body) => ({ ...body, error_details: body.error_details?.errors as object }),
  ],
  [
    'details-without-errors',
    'the details have no list of errors',
    invalid,
    (body) => ({ ...body, error_details: { field: '' } }),
  ],
  [
    'details-errors-empty',
    'the list of errors in the details is empty',
    invalid,
    (body) => ({ ...body, error_details: { ...body.error_details, errors: [] } }),
  ],
  [
    'details-without-field',
    'the details do not name the first field',
    invalid,
    (body) => ({ ...body, error_details: { errors: body.error_details?.errors } as object }),
  ],
  [
    'details-field-of-another',
    'the field in the details is not that of the first error',
    invalid,
    (body) => ({ ...body, error_details: { ...body.error_details, field: 'other' } as object }),
  ],
  [
    'details-error-without-rule',
    'an error in the details has no rule',
    invalid,
    eachError(({ field, message }) => ({ field, message })),
  ],
  [
    'details-error-without-message',
    'an error in the details has no message',
    invalid,
    eachError(({ field, rule }) => ({ field, rule })),
  ],
  [
    'details-error-field-null',
    'an error about the whole body has the field null',
    invalid,
    eachError((error) => ({ ...error, field: error.field || null })),
  ],
  ['details-error-as-text', 'the errors in the details are strings', invalid, eachError(({ message }) => message)],
  [
    'details-rule-always-type',
    'every error has the rule "type"',
    invalid,
    eachError((error) => ({ ...error, rule: 'type' })),
  ],
  [
    'details-field-as-pointer',
    'fields are JSON pointers',
    invalid,
    eachError((error) => ({ ...error, field: error.field ? `/${error.field}` : '' })),
  ],
  [
    'details-errors-twice',
    'every error is listed twice',
    invalid,
    (body) => ({
      ...body,
      error_details: {
        ...body.error_details,
        errors: body.error_details?.errors?.flatMap((error) => [error, error]),
      } as object,
    }),
  ],
  [
    'details-tell-the-value',
    'an error repeats the value that was sent',
    invalid,
    (body, request) => ({
      ...body,
      error_details: { ...body.error_details, value: request.body.toString() } as object,
    }),
  ],
]);

interface FieldError {
  readonly field?: string;
  readonly message?: string;
  readonly rule?: string;
}

function eachError(edit: (error: FieldError) => unknown): BodyEdit {
  return (body) => ({
    ...body,
    error_details: {
      ...body.error_details,
      errors: body.error_details?.errors?.map((error) => edit(error as FieldError)),
    } as object,
  });
}
