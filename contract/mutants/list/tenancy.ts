import { errorResponse, isOperation, secretOf, withSecret } from '../requests.ts';
import { responseMutants, handlerMutants } from '../tampering.ts';

/** Organisations that can see data of each other. */
export const tenancyMutants = [
  ...handlerMutants([
    [
      'foreign-case-readable',
      'a case of another organisation is returned',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status !== 404 || !isOperation('getCase', request)) return response;
          const other = await forward(withSecret(request, credentials.other_access_token));
          return other.status === 200 ? other : forward(withSecret(request, credentials.access_token));
        },
    ],
    [
      'foreign-case-readable-in-capitals',
      'a case of another organisation is returned if its id is in upper case',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          const oddSpelling = request.path !== request.path.toLowerCase();
          return response.status === 404 && isOperation('getCase', request) && oddSpelling
            ? forward(withSecret(request, credentials.other_access_token))
            : response;
        },
    ],
    [
      'foreign-case-disclosed-by-status',
      "another organisation's case gets 403",
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return response.status === 404 && request.path.includes(credentials.other_case_id)
            ? errorResponse(response, 403, 'request.forbidden')
            : response;
        },
    ],
    [
      'foreign-case-disclosed-by-message',
      'the message reveals that the case belongs to another organisation',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status === 404 && request.path.includes(credentials.other_case_id))
            response.body = response.body.replace('no such case', 'a case of another organisation');
          return response;
        },
    ],
    [
      'foreign-case-disclosed-by-header',
      'a header reveals that the case exists',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status === 404 && request.path.includes(credentials.other_case_id))
            response.headers['etag'] = '"1"';
          return response;
        },
    ],
    [
      'foreign-case-disclosed-by-details',
      'error_details distinguishes an unknown identifier from a malformed one',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          if (
            response.status === 404 &&
            isOperation('getCase', request) &&
            !/[\da-f]{8}-[\da-f]{4}-/i.test(request.path)
          )
            response.body = response.body.replace(/\}$/, ',"error_details":{"field":"id"}}');
          return response;
        },
    ],
    [
      'setting-of-each-key',
      'each key has a separate setting',
      ({ forward, credentials }) => {
        let held: string | undefined;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 200 || !isOperation('getVerificationSetting', request)) return response;
          if (secretOf(request) !== credentials.member_key) return response;
          response.body = held ??= response.body;
          return response;
        };
      },
    ],
  ]),
  ...responseMutants([
    [
      'foreign-token-refused',
      'the token of a second organisation is refused',
      'getCase 200',
      (response, request) => {
        if (request.path.endsWith('c3')) response.status = 404;
      },
    ],
  ]),
];
