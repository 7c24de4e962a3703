import { bodyMutants, set } from '../tampering.ts';
import { secretOf } from '../requests.ts';

const forbidden = { error_code: 'request.forbidden' };
const featureOff = { error_code: 'request.organisations.feature-flag.not-enabled' };

/** Errors with another code, and errors that disclose too little or too much. */
export const errorCodeMutants = bodyMutants([
  [
    'code-of-401-made-up',
    'an invalid credential has an undocumented error code',
    '* 401',
    set({ error_code: 'request.unauthorised' }),
  ],
  ['code-of-401-forbidden', 'an invalid credential has the code request.forbidden', '* 401', set(forbidden)],
  [
    'code-of-permission-is-of-feature',
    'a missing permission has the code of a missing feature',
    '* 403',
    set(featureOff),
  ],
  ['code-of-feature-is-forbidden', 'a missing feature has the code of a missing permission', '* 403', set(forbidden)],
  [
    'code-of-404-is-of-path',
    'a case that does not exist has the code of an unknown path',
    'getCase 404',
    set({ error_code: 'request.not-found' }),
  ],
  [
    'code-of-path-is-of-case',
    'an unknown path has the code of an unknown case',
    'none 404',
    set({ error_code: 'request.cases.case.not-found' }),
  ],
  [
    'code-of-400-is-malformed',
    'an invalid body has the code of a malformed HTTP request',
    'updateVerificationSetting 400',
    set({ error_code: 'request.malformed' }),
  ],
  [
    'code-of-429-unavailable',
    'an exceeded limit has the code of an unavailable service',
    '* 429',
    set({ error_code: 'service.unavailable' }),
  ],
  [
    'code-in-capitals',
    'error codes are in upper case',
    '* 4..',
    (body) => ({ ...body, error_code: String(body.error_code).toUpperCase() }),
  ],
  ['message-empty', 'error_message is empty', '* 4..', set({ error_message: '' })],
  [
    'message-with-credential',
    'the message of a 401 repeats the credential',
    '* 401',
    (body, request) => ({ ...body, error_message: `Not valid: ${secretOf(request) ?? 'none'}` }),
  ],
  [
    'failure-tells-query',
    'the error of a failure includes the database query',
    '* 500',
    set({ error_details: { query: 'SELECT * FROM credential' } as object }),
  ],
  [
    'details-left-out',
    'the error of an invalid body has no details',
    'updateVerificationSetting 400',
    ({ error_code, error_message }) => ({ error_code, error_message }),
  ],
  [
    'details-name-first-alone',
    'the details list only the first of several errors',
    'updateVerificationSetting 400',
    (body) => ({ ...body, error_details: { ...body.error_details, errors: body.error_details?.errors?.slice(0, 1) } }),
  ],
]);
