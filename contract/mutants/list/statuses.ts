import type { ProxiedResponse } from '../mutant.ts';
import { jsonOf } from '../requests.ts';
import { responseMutants } from '../tampering.ts';

/** Wrong statuses with otherwise unchanged responses. */
export const statusMutants = responseMutants([
  ['update-responds-201', 'an update returns 201', 'updateVerificationSetting 200', status(201)],
  ['update-responds-202', 'an update returns 202', 'updateVerificationSetting 200', status(202)],
  ['update-responds-204', 'an update returns 204 without a body', 'updateVerificationSetting 200', emptied(204)],
  ['read-responds-206', 'reading a case with files gets 206', 'getCase 200', status(206)],
  ['errors-respond-200', 'errors have the status 200', '* 4..', status(200)],
  ['unauthenticated-responds-403', 'an invalid credential gets 403', '* 401', status(403)],
  [
    'unauthenticated-redirected',
    'an invalid credential gets a redirect to a login page',
    '* 401',
    redirected(302, '/login'),
  ],
  ['forbidden-responds-401', 'a missing permission gets 401', '* 403', status(401)],
  ['forbidden-responds-404', 'a missing permission gets 404', '* 403', status(404)],
  ['feature-off-responds-404', 'a missing feature gets 404', '* 403', featureOff(404)],
  [
    'case-not-found-responds-200',
    'a case that does not exist gets 200 with null',
    'getCase 404',
    (response) => {
      Object.assign(response, { status: 200, body: 'null' });
    },
  ],
  ['case-not-found-responds-403', 'a case that does not exist gets 403', 'getCase 404', status(403)],
  ['case-not-found-responds-410', 'a case that does not exist gets 410', 'getCase 404', status(410)],
  ['invalid-responds-422', 'an invalid body gets 422', '* 400', status(422)],
  [
    'malformed-responds-500',
    'a body that is not JSON gets 500',
    'updateVerificationSetting 400',
    (response, request) => {
      if (request.body.length > 0 && jsonOf(request) === undefined) response.status = 500;
    },
  ],
  ['too-large-responds-400', 'a body that is too large gets 400', '* 413', status(400)],
  ['wrong-media-type-responds-400', 'another media type gets 400', '* 415', status(400)],
  ['limited-responds-503', 'an exceeded limit gets 503', '* 429', status(503)],
  ['failure-responds-200', 'an internal failure gets 200', '* 500', status(200)],
  ['failure-responds-404', 'an internal failure gets 404', '* 500', status(404)],
  ['unknown-path-responds-400', 'an unknown path gets 400', 'none 404', status(400)],
  ['unknown-method-responds-404', 'an unknown method gets 404', '* 405', status(404)],
  ['unknown-method-responds-501', 'an unknown method gets 501', '* 405', status(501)],
]);

/** Changes the status. */
export function status(code: number): (response: ProxiedResponse) => void {
  return (response) => {
    response.status = code;
  };
}

/** Changes the status and removes the body. */
export function emptied(code: number): (response: ProxiedResponse) => void {
  return (response) => {
    Object.assign(response, { status: code, body: '' });
    delete response.headers['content-type'];
  };
}

/** Changes the status, and redirects to this location. */
export function redirected(code: number, location: string): (response: ProxiedResponse) => void {
  return (response) => {
    response.status = code;
    response.headers['location'] = location;
  };
}

/** Changes the status of a response that reports a missing feature. */
export function featureOff(code: number): (response: ProxiedResponse) => void {
  return (response) => {
    if (response.body.includes('feature-flag')) response.status = code;
  };
}
