import type { Mutant } from '../mutant.ts';
import type { ProxiedResponse } from '../mutant.ts';
import { headerValues, jsonOf, secretOf } from '../requests.ts';
import { type BodyEdit, bodyMutants, responseMutants, set } from '../tampering.ts';

/** Wrong statuses with otherwise unchanged responses. */
const statusMutants = responseMutants([
  [
    'update-responds-201',
    'an update returns 201',
    'conformance.updateVerificationSetting.status replay.updateVerificationSetting.200',
    'updateVerificationSetting 200',
    status(201),
  ],
  [
    'read-responds-206',
    'reading a case with files gets 206',
    'conformance.getCase.status replay.getCase.200',
    'getCase 200',
    status(206),
  ],
  ['errors-respond-200', 'errors have the status 200', 'conformance.*.200.body replay.*.4*', '* 4..', status(200)],
  [
    'unauthenticated-responds-403',
    'an invalid credential gets 403',
    'replay.*.401 conformance.*',
    '* 401',
    status(403),
  ],
  [
    'unauthenticated-redirected',
    'an invalid credential gets a redirect to a login page',
    'conformance.*.status replay.*.401',
    '* 401',
    redirected(302, '/login'),
  ],
  ['forbidden-responds-401', 'a missing permission gets 401', 'replay.*.403 conformance.*', '* 403', status(401)],
  [
    'forbidden-responds-404',
    'a missing permission gets 404',
    'replay.*.403 conformance.*.status',
    '* 403',
    status(404),
  ],
  [
    'case-not-found-responds-200',
    'a case that does not exist gets 200 with null',
    'replay.getCase.404 conformance.getCase.200.*',
    'getCase 404',
    (response) => {
      Object.assign(response, { status: 200, body: 'null' });
    },
  ],
  [
    'case-not-found-responds-403',
    'a case that does not exist gets 403',
    'replay.getCase.404 conformance.getCase.status',
    'getCase 404',
    status(403),
  ],
  [
    'invalid-responds-422',
    'an invalid body gets 422',
    'replay.updateVerificationSetting.400 conformance.updateVerificationSetting.status',
    '* 400',
    status(422),
  ],
  [
    'malformed-responds-500',
    'a body that is not JSON gets 500',
    'conformance.updateVerificationSetting.5* explored.updateVerificationSetting.body*',
    'updateVerificationSetting 400',
    (response, request) => {
      if (request.body.length > 0 && jsonOf(request) === undefined) response.status = 500;
    },
  ],
  [
    'too-large-responds-400',
    'a body that is too large gets 400',
    'replay.updateVerificationSetting.413 conformance.updateVerificationSetting.400.*',
    '* 413',
    status(400),
  ],
  [
    'wrong-media-type-responds-400',
    'another media type gets 400',
    'replay.updateVerificationSetting.415 conformance.updateVerificationSetting.400.*',
    '* 415',
    status(400),
  ],
  [
    'limited-responds-503',
    'an exceeded limit gets 503',
    'conformance.*.503.* replay.*.429 conformance.*.status',
    '* 429',
    status(503),
  ],
  ['failure-responds-200', 'an internal failure gets 200', 'replay.*.5* conformance.*.200.*', '* 500', status(200)],
  ['failure-responds-404', 'an internal failure gets 404', 'replay.*.5* conformance.*', '* 500', status(404)],
  [
    'unknown-path-responds-400',
    'an unknown path gets 400',
    'conformance.service* explored.service.path*',
    'none 404',
    status(400),
  ],
  ['unknown-method-responds-404', 'an unknown method gets 404', 'conformance.service*', '* 405', status(404)],
]);

/** Changes the status. */
function status(code: number): (response: ProxiedResponse) => void {
  return (response) => {
    response.status = code;
  };
}

/** Changes the status, and redirects to this location. */
function redirected(code: number, location: string): (response: ProxiedResponse) => void {
  return (response) => {
    response.status = code;
    response.headers['location'] = location;
  };
}

/** Undocumented statuses of the right class, or usual ones. */
const otherStatusMutants = responseMutants([
  [
    'read-responds-203',
    'reading gets 203',
    'conformance.getVerificationSetting.status',
    'getVerificationSetting 200',
    status(203),
  ],
  ['case-responds-300', 'reading a case gets 300', 'conformance.getCase.status', 'getCase 200', status(300)],
  [
    'invalid-responds-409',
    'an invalid body gets 409',
    'conformance.updateVerificationSetting.status',
    'updateVerificationSetting 400',
    status(409),
  ],
  ['unauthenticated-responds-407', 'an invalid credential gets 407', 'conformance.*.status', '* 401', status(407)],
  [
    'unauthenticated-responds-400',
    'an absent credential gets 400',
    'replay.*.401 conformance.*.400.* conformance.*.status',
    '* 401',
    (response, request) => {
      if (['x-api-key', 'authorization'].every((name) => headerValues(request, name).length === 0))
        response.status = 400;
    },
  ],
  [
    'forbidden-responds-400',
    'a missing permission gets 400',
    'replay.*.403 conformance.*.400.*',
    'updateVerificationSetting 403',
    status(400),
  ],
  [
    'limited-responds-403',
    'an exceeded limit gets 403',
    'replay.*.429 conformance.*.403.error-code conformance.*.status',
    '* 429',
    status(403),
  ],
  [
    'too-large-responds-431',
    'a body that is too large gets 431',
    'replay.updateVerificationSetting.413 conformance.*.431.* conformance.*.status',
    '* 413',
    status(431),
  ],
  [
    'unavailable-responds-500',
    'an unavailable service gets 500',
    'replay.*.503 conformance.*.500.error-code',
    '* 503',
    status(500),
  ],
  ['unknown-path-responds-403', 'an unknown path gets 403', 'conformance.service.status', 'none 404', status(403)],
  ['unknown-method-responds-400', 'an unknown method gets 400', 'conformance.service.*', '* 405', status(400)],
  [
    'case-not-found-responds-500',
    'a case that does not exist gets 500',
    'replay.getCase.404 conformance.getCase.500.*',
    'getCase 404',
    status(500),
  ],
]);

const forbidden = { error_code: 'request.forbidden' };
const featureOffCode = { error_code: 'request.organisations.feature-flag.not-enabled' };

/** Errors with another code, and errors that disclose too little or too much. */
const errorCodeMutants = bodyMutants([
  [
    'code-of-401-made-up',
    'an invalid credential has an undocumented error code',
    'conformance.*.401.error-code conformance.*.401.body',
    '* 401',
    set({ error_code: 'request.unauthorised' }),
  ],
  [
    'code-of-401-forbidden',
    'an invalid credential has the code request.forbidden',
    'conformance.*.401.error-code',
    '* 401',
    set(forbidden),
  ],
  [
    'code-of-permission-is-of-feature',
    'a missing permission has the code of a missing feature',
    'replay.updateVerificationSetting.403 explored.*.permission* explored.*',
    '* 403',
    set(featureOffCode),
  ],
  [
    'code-of-feature-is-forbidden',
    'a missing feature has the code of a missing permission',
    'explored.*.permission* explored.*.feature* replay.getVerificationSetting.403',
    '* 403',
    set(forbidden),
  ],
  [
    'code-of-404-is-of-path',
    'a case that does not exist has the code of an unknown path',
    'conformance.getCase.404.error-code replay.getCase.404',
    'getCase 404',
    set({ error_code: 'request.not-found' }),
  ],
  [
    'code-of-path-is-of-case',
    'an unknown path has the code of an unknown case',
    'conformance.service.404.error-code',
    'none 404',
    set({ error_code: 'request.cases.case.not-found' }),
  ],
  [
    'code-of-400-is-malformed',
    'an invalid body has the code of a malformed HTTP request',
    'conformance.updateVerificationSetting.400.error-code',
    'updateVerificationSetting 400',
    set({ error_code: 'request.malformed' }),
  ],
  [
    'code-of-429-unavailable',
    'an exceeded limit has the code of an unavailable service',
    'conformance.*.429.error-code',
    '* 429',
    set({ error_code: 'service.unavailable' }),
  ],
  [
    'code-in-capitals',
    'error codes are in upper case',
    'conformance.*.error-code conformance.*.body',
    '* 4..',
    (body) => ({ ...body, error_code: String(body.error_code).toUpperCase() }),
  ],
  ['message-empty', 'error_message is empty', 'conformance.rules.error-object', '* 4..', set({ error_message: '' })],
  [
    'message-with-credential',
    'the message of a 401 repeats the credential',
    'replay.*.401 explored.* conformance.*',
    '* 401',
    (body, request) => ({ ...body, error_message: `Not valid: ${secretOf(request) ?? 'none'}` }),
  ],
  [
    'failure-tells-query',
    'the error of a failure includes the database query',
    'replay.*.5* explored.*.failure*',
    '* 500',
    set({ error_details: { query: 'SELECT * FROM credential' } as object }),
  ],
  [
    'details-left-out',
    'the error of an invalid body has no details',
    'explored.updateVerificationSetting.body* replay.updateVerificationSetting.400 conformance.updateVerificationSetting.400.*',
    'updateVerificationSetting 400',
    ({ error_code, error_message }) => ({ error_code, error_message }),
  ],
  [
    'details-name-first-alone',
    'the details list only the first of several errors',
    'explored.updateVerificationSetting.body* replay.updateVerificationSetting.400',
    'updateVerificationSetting 400',
    (body) => ({ ...body, error_details: { ...body.error_details, errors: body.error_details?.errors?.slice(0, 1) } }),
  ],
]);

const invalid = 'updateVerificationSetting 400';

/** Errors with the code or the details of another error. */
const errorDetailMutants = bodyMutants([
  [
    'code-of-413-is-of-400',
    'a body that is too large has the code of an invalid one',
    'conformance.*.error-code',
    '* 413',
    set({ error_code: 'request.validation.failed' }),
  ],
  [
    'code-of-405-is-of-404',
    'an unknown method has the code of an unknown path',
    'conformance.service.405.error-code',
    '* 405',
    set({ error_code: 'request.not-found' }),
  ],
  [
    'code-empty',
    'error_code is empty',
    'conformance.*.body conformance.*.error-code',
    '* 4..',
    set({ error_code: '' }),
  ],
  [
    'code-as-list',
    'error_code is an array',
    'conformance.*.body',
    '* 4..',
    (body) => ({ ...body, error_code: [body.error_code] }),
  ],
  [
    'failure-tells-file',
    'the error of a failure includes the file and line',
    'conformance.rules.internals explored.*.failure*',
    '* 500',
    set({ error_message: 'TypeError: store is undefined at /app/src/http/route.ts:12:7' }),
  ],
  [
    'details-as-list',
    'the details of an invalid body are an array',
    'conformance.updateVerificationSetting.400.body',
    invalid,
    (body) => ({ ...body, error_details: body.error_details?.errors as object }),
  ],
  [
    'details-field-of-another',
    'the field in the details is not that of the first error',
    'conformance.updateVerificationSetting.400.body explored.updateVerificationSetting.body*',
    invalid,
    (body) => ({ ...body, error_details: { ...body.error_details, field: 'other' } as object }),
  ],
  [
    'details-rule-always-type',
    'every error has the rule "type"',
    'explored.updateVerificationSetting.body* replay.updateVerificationSetting.400',
    invalid,
    eachError((error) => ({ ...error, rule: 'type' })),
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

export const refusalMutants: readonly Mutant[] = [
  ...statusMutants,
  ...otherStatusMutants,
  ...errorCodeMutants,
  ...errorDetailMutants,
];
