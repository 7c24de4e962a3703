import type { Fault, ProxiedRequest } from '../mutant.ts';
import { errorAnswer, isOperation, isUpdate, jsonAnswer, withBody } from '../requests.ts';
import { handlerFaults } from '../tamper.ts';

/** Paths, identifiers and queries that lead elsewhere than the document says. */
export const pathFaults = [
  ...handlerFaults([
    [
      'id-not-uuid-answers-400',
      'an identifier that is no UUID is 400',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return isOddCase(request) && answer.status === 404
            ? errorAnswer(answer, 400, 'request.validation.failed')
            : answer;
        },
    ],
    [
      'id-not-uuid-answers-500',
      'an identifier that is no UUID makes the server fail',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return isOddCase(request) && answer.status === 404
            ? errorAnswer(answer, 500, 'service.internal-error')
            : answer;
        },
    ],
    [
      'id-long-answers-414',
      'a long identifier is 414',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return isOddCase(request) && request.path.length > 200
            ? errorAnswer(answer, 414, 'request.not-found')
            : answer;
        },
    ],
    [
      'id-with-quote-answers-500',
      'a quotation mark in an identifier makes the server fail',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return isOddCase(request) && /'|%27/.test(request.path)
            ? errorAnswer(answer, 500, 'service.internal-error')
            : answer;
        },
    ],
    [
      'id-in-capitals-not-found',
      'an identifier in capitals is not found',
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
      'an unknown query parameter is 400',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return request.path.includes('?') && answer.status === 200
            ? errorAnswer(answer, 400, 'request.validation.failed')
            : answer;
        },
    ],
    [
      'query-makes-path-unknown',
      'a path with a query is unknown',
      ({ forward }) =>
        (request) =>
          forward(request.path.includes('?') ? { ...request, path: `/${request.path}` } : request),
    ],
    [
      'query-changes-update',
      'enabled in the query wins over the body',
      ({ forward }) =>
        (request) => {
          const enabled = /[?&]enabled=(true|false)/.exec(request.path)?.[1];
          return forward(
            isUpdate(request) && enabled !== undefined ? withBody(request, `{"enabled":${enabled}}`) : request,
          );
        },
    ],
    [
      'unknown-path-answers-200',
      'every unknown path is 200',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          return answer.status === 404 && answer.body.includes('request.not-found')
            ? jsonAnswer(answer, 200, {})
            : answer;
        },
    ],
    [
      'list-of-cases-answered',
      'the path before a case lists all cases',
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          return /^\/cases\/?$/.test(request.path)
            ? jsonAnswer(answer, 200, [credentials.case_id, credentials.other_case_id])
            : answer;
        },
    ],
  ]),
  otherPath('trailing-slash-accepted', 'a slash at the end of a path does not count', (path) =>
    path.replace(/\/$/, ''),
  ),
  otherPath('path-in-capitals-accepted', 'letter case does not count in a path', (path) => path.toLowerCase()),
  otherPath('doubled-slash-accepted', 'a slash too many does not count', (path) => path.replace(/\/{2,}/g, '/')),
  otherPath(
    'dot-segments-resolved',
    'dots in a path are resolved',
    (path) => new URL(path, 'http://localhost').pathname,
  ),
  otherPath('suffix-ignored', 'an extension at the end of a path does not count', (path) => path.replace(/\.\w+$/, '')),
  otherPath('version-prefix-accepted', 'a version before a path does not count', (path) => path.replace(/^\/v\d+/, '')),
];

function isOddCase(request: ProxiedRequest): boolean {
  return (
    isOperation('getCase', request) && !/^\/cases\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\?|$)/i.test(request.path)
  );
}

/** A path that is unknown is tried in another spelling. */
function otherPath(name: string, breaks: string, spell: (path: string) => string): Fault {
  const start: Fault['start'] =
    ({ forward }) =>
    async (request) => {
      const answer = await forward(request);
      const path = spell(request.path);
      return answer.status === 404 && path !== request.path ? forward({ ...request, path }) : answer;
    };
  return { name, breaks, start };
}
