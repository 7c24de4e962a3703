/** Refusals with another status, code or detail than documented, or in another order than in decision D11. */
import type { Mutant, Predicate } from '../mutant.ts';
import { anonymous, enabledOf, header, isCase, jsonOf, secretOf, withSecret } from '../requests.ts';
import { type Body, breaking, type Change, type Edits, row } from '../rows.ts';

const isNotJson: Predicate = (request) => request.body.length > 0 && jsonOf(request) === undefined;

const statusMutants = [
  ...breaking('conformance.*.status replay.*.200', [
    row('an update returns 201', 'update 200', { status: 201 }),
    row('reading a case with files gets 206', 'case 200', { status: 206 }),
  ]),
  ...breaking('conformance.* replay.*.4* explored.*', [
    row('errors have the status 200', '* 4..', { status: 200 }),
    row('an invalid credential gets 403', '* 401', { status: 403 }),
    row('an absent credential gets 400', ['* 401', anonymous], { status: 400 }),
    row('an invalid credential gets a redirect to a login page', '* 401', {
      status: 302,
      headers: { location: '/login' },
    }),
    row('a missing permission gets 401', '* 403', { status: 401 }),
    row('an invalid body gets 422', 'update 400', { status: 422 }),
    row('a body that is not JSON gets 500', ['update 400', isNotJson], { status: 500 }),
    row('a body that is too large gets 400', '* 413', { status: 400 }),
    row('another media type gets 400', '* 415', { status: 400 }),
    row('an unknown case gets null', 'case 404', { status: 200, json: () => null }),
    row('an unknown case gets 500', 'case 404', { status: 500 }),
  ]),
  ...breaking('conformance.service* explored.service.*', [
    row('an unknown path gets 403', 'none 404', { status: 403 }),
    row('an unknown method gets 404', 'none 405', { status: 404 }),
  ]),
  ...breaking('conformance.* replay.*.429 explored.*limit*', [
    row('an exceeded limit gets 503', '* 429', { status: 503 }),
  ]),
  ...breaking('conformance.* replay.*.5* explored.*.failure*', [
    row('an internal failure gets 200', '* 500', { status: 200 }),
    row('an unavailable service gets 500', '* 503', { status: 500 }),
  ]),
];

const code = (error_code: string): Edits => ({ set: { error_code } });

const codeMutants = [
  ...breaking('conformance.*.error-code conformance.*.body', [
    row('a 401 has an undocumented error code', '* 401', code('request.unauthorised')),
    row('a 401 has the code of a 403', '* 401', code('request.forbidden')),
    row('an unknown case has the code of a path', 'case 404', code('request.not-found')),
    row('a path has the code of a case', 'none 404', code('request.cases.case.not-found')),
    row('an invalid body has another code', 'update 400', code('request.malformed')),
    row('a 429 has the code of a 503', '* 429', code('service.unavailable')),
    row('codes are in upper case', '* 4..', { set: { error_code: (value: string) => value.toUpperCase() } }),
  ]),
  ...breaking('explored.*.permission* explored.*.feature* replay.*.403', [
    row('a missing permission has the code of a feature', '* 403', {
      set: { error_code: 'request.organisations.feature-flag.not-enabled' },
    }),
    row('a feature has the code of a permission', '* 403', code('request.forbidden')),
  ]),
];

const detailMutants = [
  ...breaking('conformance.rules.error-object', [
    row('error_message is empty', '* 4..', { set: { error_message: '' } }),
  ]),
  ...breaking('conformance.* explored.* replay.*.401', [
    row('the message of a 401 repeats the credential', '* 401', {
      json: (body, request) => ({ ...body, error_message: `Not valid: ${secretOf(request) ?? 'none'}` }),
    }),
  ]),
  ...breaking('conformance.rules.internals explored.*.failure* replay.*.5*', [
    row('the error of a failure includes the database query', '* 500', {
      set: { error_details: { query: 'SELECT * FROM credential' } },
    }),
    row('the error of a failure includes the file and line', '* 500', {
      set: { error_message: 'TypeError: store is undefined at /app/src/http/route.ts:12:7' },
    }),
  ]),
  ...breaking('explored.updateVerificationSetting.body* replay.updateVerificationSetting.400 conformance.*.400.*', [
    row('an invalid body has no details', 'update 400', { set: { error_details: undefined } }),
    row('the details list only the first of several errors', 'update 400', {
      json: (body) => withErrors(body, (errors) => errors.slice(0, 1)),
    }),
    row('every error has the rule "type"', 'update 400', {
      json: (body) => withErrors(body, (errors) => errors.map((error) => ({ ...error, rule: 'type' }))),
    }),
  ]),
];

function withErrors(body: Body, edit: (errors: readonly Body[]) => unknown): unknown {
  return { ...body, error_details: { ...body.error_details, errors: edit(body.error_details?.errors ?? []) } };
}

export const refusalMutants: readonly Mutant[] = [...statusMutants, ...codeMutants, ...detailMutants];

const isJson = header('content-type', /^application\/json/i);
const isInvalid: Predicate = (request) =>
  typeof enabledOf(request) !== 'boolean' ||
  Object.keys(jsonOf(request) as object).length > 1 ||
  !isJson(request) ||
  request.body.length > 16_384;

/** Replaces a refusal by what a caller with all rights gets, if that has this status. */
const ifOwnerGets =
  (status: number): Change =>
  async (response, request, server) => {
    const { owner_key: key, access_token: token } = server.credentials;
    const asOwner = await server.forward(withSecret(request, isCase(request) ? token : key));
    return asOwner.status === status ? asOwner : response;
  };

export const orderMutants: readonly Mutant[] = [
  ...breaking('explored.*.credential* explored.*.permission* explored.walks*', [
    row('an invalid body precedes a 401', ['update 401', isInvalid], ifOwnerGets(400)),
    row('an unknown case precedes a 401', 'case 401', ifOwnerGets(404)),
    row('an invalid body precedes a 403', ['update 403', isInvalid], ifOwnerGets(400)),
    row('a media type precedes a 403', ['update 403', isInvalid], ifOwnerGets(415)),
  ]),
  ...breaking('explored.service.* conformance.service.status', [
    row('no credential precedes a 405', ['none 405', anonymous], { refuse: 401 }),
  ]),
  ...breaking('explored.updateVerificationSetting.body-size*', [
    row('what is too large and no JSON gets 400', ['update 413', isNotJson], { refuse: 400 }),
  ]),
  ...breaking(
    'explored.updateVerificationSetting.limit* replay.updateVerificationSetting.429 conformance.rules.remainder',
    [row('a 403 precedes a 429', 'update 429 by viewer_key|member_key', { refuse: 403 })],
  ),
];
