import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, headerValues, isCase, isUpdate, jsonResponse, withBody } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

/** Requests that the document allows, but that are refused or misread. */
const legalRequestMutants = [
  refusing(
    'accept-other-refused',
    'a request that accepts another media type is refused',
    'conformance.*.status explored.*.success*',
    (request) => headerValues(request, 'accept').some((value) => !/json|\*\/\*/.test(value)),
    406,
  ),
  refusing(
    'parameter-of-type-refused',
    'a media type parameter other than charset is refused',
    'explored.updateVerificationSetting.success*',
    (request) => headerValues(request, 'content-type').some((value) => /;/.test(value) && !/charset/i.test(value)),
    415,
  ),
  refusing(
    'long-query-refused',
    'a query of 200 characters is refused',
    'explored.* conformance.*.status',
    ({ path }) => (path.split('?')[1] ?? '').length > 200,
    414,
  ),
  refusing(
    'request-id-refused',
    'a malformed X-Request-Id is refused',
    'explored.*.success* conformance.getVerificationSetting.status',
    (request) => headerValues(request, 'x-request-id').some((value) => !/^[\w.~-]{1,128}$/.test(value)),
    400,
  ),
  refusing(
    'escaped-name-refused',
    'a body with an escaped member name is refused',
    'explored.updateVerificationSetting.success* explored.updateVerificationSetting.body*',
    ({ body }) => /\\u00/.test(body.toString()),
    400,
  ),
  ...handlerMutants([
    [
      'first-duplicate-counts',
      'the first value of a repeated field is used',
      'explored.updateVerificationSetting.success* explored.updateVerificationSetting.body*',
      ({ forward }) =>
        (request) => {
          const first = firstOfTwo(request.body);
          return forward(
            isUpdate(request) && first !== undefined ? withBody(request, `{"enabled":${first}}`) : request,
          );
        },
    ],
  ]),
];

/** Responds with this status to such requests that the server would accept. */
function refusing(
  name: string,
  breaks: string,
  promise: string,
  isMeant: (request: ProxiedRequest) => boolean,
  status: number,
): Mutant {
  const codes: Record<number, string> = { 415: 'request.media-type.unsupported' };
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      return response.status === 200 && isMeant(request)
        ? errorResponse(response, status, codes[status] ?? 'request.validation.failed')
        : response;
    };
  return { name, breaks, promise, start };
}

/** The first value of an object that has a single name, twice. */
function firstOfTwo(body: Buffer): string | undefined {
  const [, name, first, repeated] =
    /^\s*\{\s*("[^"]*")\s*:\s*("[^"]*"|true|false)\s*,\s*("[^"]*")\s*:\s*(?:true|false)\s*\}\s*$/.exec(
      body.toString(),
    ) ?? [];
  return name !== undefined && repeated !== undefined && JSON.parse(name) === JSON.parse(repeated) ? first : undefined;
}

const setting = '/organisations/features/verification';

/** Methods that do something other than documented. */
const methodMutants = [
  ...handlerMutants([
    [
      'head-refused',
      'HEAD gets 405',
      'conformance.*.status explored.*',
      ({ forward }) =>
        async (request) => {
          if (request.method !== 'HEAD') return forward(request);
          return forward({ ...request, method: 'POST' });
        },
    ],
    [
      'head-responds-200',
      'HEAD always gets 200',
      'explored.* conformance.*.header.*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'HEAD' ? { ...response, status: 200 } : response;
        },
    ],
    [
      'head-without-headers',
      'HEAD has none of the headers of GET',
      'conformance.*.header.* explored.*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'HEAD' ? { ...response, headers: {} } : response;
        },
    ],
    [
      'options-responds-204',
      'OPTIONS gets 204 with CORS headers',
      'conformance.service.status explored.service.method*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.method === 'OPTIONS'
            ? { status: 204, headers: { 'access-control-allow-origin': '*' }, body: '' }
            : response;
        },
    ],
    [
      'delete-resets',
      'DELETE switches the setting off',
      'conformance.service.status',
      ({ forward }) =>
        (request) =>
          request.method === 'DELETE' && request.path === setting
            ? forward(
                withBody(
                  { ...request, method: 'PUT', headers: [...request.headers, ['Content-Type', 'application/json']] },
                  '{"enabled":false}',
                ),
              )
            : forward(request),
    ],
  ]),
];

/** Paths, identifiers and queries that lead to another operation or response than documented. */
const pathMutants = [
  ...handlerMutants([
    [
      'id-not-uuid-responds-400',
      'an identifier that is not a UUID gets 400',
      'D16.* conformance.getCase.status',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isOddCase(request) && response.status === 404
            ? errorResponse(response, 400, 'request.validation.failed')
            : response;
        },
    ],
    [
      'id-not-uuid-responds-500',
      'an identifier that is not a UUID gets 500',
      'explored.getCase.not-found*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isOddCase(request) && response.status === 404
            ? errorResponse(response, 500, 'service.internal-error')
            : response;
        },
    ],
    [
      'id-long-responds-414',
      'a long identifier gets 414',
      'explored.getCase.not-found* conformance.getCase.status',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isOddCase(request) && request.path.length > 200
            ? errorResponse(response, 414, 'request.not-found')
            : response;
        },
    ],
    [
      'id-with-quote-responds-500',
      'a quotation mark in an identifier gets 500',
      'explored.getCase.not-found*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isOddCase(request) && /'|%27/.test(request.path)
            ? errorResponse(response, 500, 'service.internal-error')
            : response;
        },
    ],
    [
      'id-in-capitals-not-found',
      'an identifier in upper case gets 404',
      'explored.getCase.success*',
      ({ forward, credentials }) =>
        async (request) =>
          forward(
            request.path === `/cases/${credentials.case_id.toUpperCase()}`
              ? { ...request, path: '/cases/none' }
              : request,
          ),
    ],
    [
      'query-refused',
      'an unknown query parameter gets 400',
      'explored.* conformance.*.status',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.path.includes('?') && response.status === 200
            ? errorResponse(response, 400, 'request.validation.failed')
            : response;
        },
    ],
    [
      'query-changes-update',
      'enabled in the query overrides the body',
      'explored.*',
      ({ forward }) =>
        (request) => {
          const enabled = /[?&]enabled=(true|false)/.exec(request.path)?.[1];
          return forward(
            isUpdate(request) && enabled !== undefined ? withBody(request, `{"enabled":${enabled}}`) : request,
          );
        },
    ],
    [
      'unknown-path-responds-200',
      'every unknown path gets 200',
      'conformance.service*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return response.status === 404 && response.body.includes('request.not-found')
            ? jsonResponse(response, 200, {})
            : response;
        },
    ],
    [
      'list-of-cases-returned',
      'the parent path of a case lists all cases',
      'conformance.service.status explored.service.path*',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return /^\/cases\/?$/.test(request.path)
            ? jsonResponse(response, 200, [credentials.case_id, credentials.other_case_id])
            : response;
        },
    ],
  ]),
  otherPath('version-prefix-accepted', 'a version before a path is ignored', 'conformance.service.status', (path) =>
    path.replace(/^\/v\d+/, ''),
  ),
];

function isOddCase(request: ProxiedRequest): boolean {
  return isCase(request) && !/^\/cases\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\?|$)/i.test(request.path);
}

/** Tries an unknown path in another spelling. */
function otherPath(name: string, breaks: string, promise: string, spell: (path: string) => string): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const path = spell(request.path);
      return response.status === 404 && path !== request.path ? forward({ ...request, path }) : response;
    };
  return { name, breaks, promise, start };
}

export const requestMutants: readonly Mutant[] = [...legalRequestMutants, ...methodMutants, ...pathMutants];
