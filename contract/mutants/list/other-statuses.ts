import { headerValues } from '../requests.ts';
import { responseMutants } from '../tampering.ts';
import { emptied, featureOff, redirected, status } from './statuses.ts';

/** Undocumented statuses of the right class, or usual ones. */
export const otherStatusMutants = responseMutants([
  ['read-responds-203', 'reading gets 203', 'getVerificationSetting 200', status(203)],
  ['read-responds-304', 'reading gets 304 without a conditional request', 'getVerificationSetting 200', emptied(304)],
  [
    'read-responds-204',
    'reading a setting that is off gets 204',
    'getVerificationSetting 200',
    (response) => {
      if (response.body.includes('false')) emptied(204)(response);
    },
  ],
  ['case-responds-300', 'reading a case gets 300', 'getCase 200', status(300)],
  ['invalid-responds-409', 'an invalid body gets 409', 'updateVerificationSetting 400', status(409)],
  ['unauthenticated-responds-407', 'an invalid credential gets 407', '* 401', status(407)],
  [
    'unauthenticated-responds-400',
    'an absent credential gets 400',
    '* 401',
    (response, request) => {
      if (['x-api-key', 'authorization'].every((name) => headerValues(request, name).length === 0))
        response.status = 400;
    },
  ],
  ['forbidden-responds-402', 'a missing feature gets 402', '* 403', featureOff(402)],
  ['forbidden-responds-400', 'a missing permission gets 400', 'updateVerificationSetting 403', status(400)],
  ['limited-responds-403', 'an exceeded limit gets 403', '* 429', status(403)],
  ['limited-responds-420', 'an exceeded limit gets 420', '* 429', status(420)],
  ['too-large-responds-431', 'a body that is too large gets 431', '* 413', status(431)],
  ['wrong-media-type-responds-406', 'another media type gets 406', '* 415', status(406)],
  ['failure-responds-502', 'an internal failure gets 502', '* 500', status(502)],
  ['failure-responds-400', 'an internal failure gets 400', '* 500', status(400)],
  ['unavailable-responds-500', 'an unavailable service gets 500', '* 503', status(500)],
  ['unavailable-responds-504', 'an unavailable service gets 504', '* 503', status(504)],
  ['unknown-path-responds-403', 'an unknown path gets 403', 'none 404', status(403)],
  ['unknown-path-redirected', 'an unknown path is redirected to the root', 'none 404', redirected(301, '/')],
  ['unknown-method-responds-400', 'an unknown method gets 400', '* 405', status(400)],
  ['case-not-found-responds-204', 'a case that does not exist gets 204', 'getCase 404', emptied(204)],
  ['case-not-found-responds-500', 'a case that does not exist gets 500', 'getCase 404', status(500)],
]);
