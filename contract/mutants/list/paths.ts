import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, isOperation, isUpdate, jsonResponse, withBody } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

/** Paths, identifiers and queries that lead to another operation or response than documented. */
export const pathMutants = [
  ...handlerMutants([
    [
      'id-not-uuid-responds-400',
      'an identifier that is not a UUID gets 400',
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
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return request.path.includes('?') && response.status === 200
            ? errorResponse(response, 400, 'request.validation.failed')
            : response;
        },
    ],
    [
      'query-makes-path-unknown',
      'a path with a query gets 404',
      ({ forward }) =>
        (request) =>
          forward(request.path.includes('?') ? { ...request, path: `/${request.path}` } : request),
    ],
    [
      'query-changes-update',
      'enabled in the query overrides the body',
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
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return /^\/cases\/?$/.test(request.path)
            ? jsonResponse(response, 200, [credentials.case_id, credentials.other_case_id])
            : response;
        },
    ],
  ]),
  otherPath('trailing-slash-accepted', 'a slash at the end of a path is ignored', (path) => path.replace(/\/$/, '')),
  otherPath('path-in-capitals-accepted', 'paths are case-insensitive', (path) => path.toLowerCase()),
  otherPath('doubled-slash-accepted', 'doubled slashes are accepted', (path) => path.replace(/\/{2,}/g, '/')),
  otherPath(
    'dot-segments-resolved',
    'dot segments in a path are resolved',
    (path) => new URL(path, 'http://localhost').pathname,
  ),
  otherPath('suffix-ignored', 'an extension at the end of a path is ignored', (path) => path.replace(/\.\w+$/, '')),
  otherPath('version-prefix-accepted', 'a version before a path is ignored', (path) => path.replace(/^\/v\d+/, '')),
];

function isOddCase(request: ProxiedRequest): boolean {
  return (
    isOperation('getCase', request) && !/^\/cases\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\?|$)/i.test(request.path)
  );
}

/** Tries an unknown path in another spelling. */
function otherPath(name: string, breaks: string, spell: (path: string) => string): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const path = spell(request.path);
      return response.status === 404 && path !== request.path ? forward({ ...request, path }) : response;
    };
  return { name, breaks, start };
}
