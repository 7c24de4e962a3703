import type { Mutant, ProxiedRequest, ServerBehind } from '../mutant.ts';
import { headerValues, isOperation, isUpdate, secretOf, withHeader, withSecret } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

type Condition = (request: ProxiedRequest, server: ServerBehind) => boolean;

const has =
  (name: string, pattern: RegExp): Condition =>
  (request) =>
    headerValues(request, name).some((value) => pattern.test(value));
const query =
  (pattern: RegExp): Condition =>
  ({ path }) =>
    pattern.test(path.replace(/^[^?]*/, ''));
const isCase: Condition = (request) => isOperation('getCase', request);
const both =
  (...conditions: Condition[]): Condition =>
  (request, server) =>
    conditions.every((condition) => condition(request, server));

/** Authorisation rules that hold only for plain requests. */
export const crossedAuthorisationMutants: readonly Mutant[] = [
  lifting(
    'forwarded-for-localhost-trusted',
    'X-Forwarded-For with a loopback address bypasses the permission check',
    403,
    has('x-forwarded-for', /^127\./),
  ),
  lifting(
    'forwarded-trusted',
    'Forwarded with a loopback address bypasses the permission check',
    403,
    has('forwarded', /for=127\./),
  ),
  lifting('real-ip-trusted', 'X-Real-IP bypasses the permission check', 403, has('x-real-ip', /./)),
  lifting(
    'role-in-cookie-trusted',
    'a role in a cookie bypasses the permission check',
    403,
    has('cookie', /role=owner/),
  ),
  lifting('remote-user-trusted', 'X-Remote-User bypasses the permission check', 403, has('x-remote-user', /./)),
  lifting('original-url-trusted', 'X-Original-URL bypasses the permission check', 403, has('x-original-url', /./)),
  lifting(
    'origin-trusted',
    'a localhost Origin bypasses the permission check of an update',
    403,
    both(isUpdate, has('origin', /localhost/)),
  ),
  lifting(
    'key-header-in-capitals-trusted',
    'X-API-KEY in upper case bypasses the permission check',
    403,
    ({ headers }) => headers.some(([name]) => name === 'X-API-KEY'),
  ),
  lifting(
    'second-cookie-trusted',
    'two Cookie headers bypass the permission check',
    403,
    (request) => headerValues(request, 'cookie').length > 1,
  ),
  lifting('empty-query-lifts-feature', 'an empty query bypasses the feature check', 403, ({ path }) =>
    path.endsWith('?'),
  ),
  lifting(
    'organisation-in-query-trusted',
    'organisation_id in the query selects the organisation',
    404,
    both(isCase, query(/organisation_id=/)),
  ),
  lifting(
    'organisation-in-header-trusted',
    'X-Organisation-Id selects the organisation',
    404,
    both(isCase, has('x-organisation-id', /./)),
  ),
  lifting(
    'forwarded-host-lifts-tenancy',
    'X-Forwarded-Host gives access to a foreign case',
    404,
    both(isCase, has('x-forwarded-host', /./)),
  ),
  lifting(
    'http-1-0-lifts-permission',
    'HTTP/1.0 bypasses the permission check',
    403,
    ({ httpVersion }) => httpVersion === '1.0',
  ),
  lifting(
    'http-1-0-lifts-tenancy',
    'HTTP/1.0 gives access to a foreign case',
    404,
    both(isCase, ({ httpVersion }) => httpVersion === '1.0'),
  ),
  lifting(
    'second-key-in-query-counts',
    'a key in the query replaces the one in the header',
    403,
    (request, { credentials }) =>
      query(/x-api-key=/)(request, {} as ServerBehind) && request.path.includes(credentials.owner_key),
  ),
  lifting(
    'second-key-as-bearer-counts',
    'a key sent as bearer token replaces the one in the header',
    403,
    (request, { credentials }) =>
      headerValues(request, 'authorization').some((value) => value.endsWith(credentials.owner_key)),
  ),
  lifting(
    'proxy-authorization-counts',
    'a key in Proxy-Authorization is accepted',
    403,
    has('proxy-authorization', /./),
  ),
  lifting(
    'token-as-key-counts',
    'a token in the header of keys gives access to its case',
    404,
    (request, { credentials }) =>
      isOperation('getCase', request) && headerValues(request, 'x-api-key').includes(credentials.access_token),
  ),
  counting(
    'every-seventh-refusal-lifted',
    'every seventh request without permission is accepted',
    403,
    (count) => count % 7 === 0,
  ),
  counting(
    'permission-forgotten-after-fifty',
    'permissions are not checked after fifty refusals',
    403,
    (count) => count > 50,
  ),
  counting(
    'hundredth-request-let-in',
    'the hundredth request without permission is accepted',
    403,
    (count) => count === 100,
  ),
  counting(
    'every-thirteenth-foreign-case',
    'every thirteenth foreign case is returned',
    404,
    (count) => count % 13 === 0,
  ),
  counting(
    'tenancy-forgotten-after-fifty',
    'the organisation of a case is not checked after fifty refusals',
    404,
    (count) => count > 50,
  ),
  ...handlerMutants([
    [
      'get-override-of-update-honoured',
      'a forbidden update with X-HTTP-Method: GET gets the response to GET',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const reads =
            response.status === 403 && isUpdate(request) && has('x-http-method', /^GET$/)(request, {} as ServerBehind);
          return reads
            ? forward({ ...withHeader(request, 'Content-Length'), method: 'GET', body: Buffer.alloc(0) })
            : response;
        },
    ],
    [
      'method-in-query-honoured',
      'a method in the query overrides a method that gets 405',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const [, method] = /_method=([A-Z]+)/.exec(request.path) ?? [];
          return response.status === 405 && method !== undefined ? forward({ ...request, method }) : response;
        },
    ],
    [
      'token-beside-key-chooses-organisation',
      'a key is refused if a token of another organisation comes with it',
      ({ forward, credentials }) =>
        (request) =>
          forward(
            headerValues(request, 'authorization').some((value) => value.endsWith(credentials.other_access_token))
              ? withSecret(request, 'none')
              : request,
          ),
    ],
    [
      'http-1-0-refused',
      'a valid HTTP/1.0 request is refused',
      ({ forward }) =>
        (request) =>
          forward(request.httpVersion === '1.0' ? withHeader(request, 'x-api-key', 'none') : request),
    ],
    [
      'update-beside-token-lost',
      'an update with a second credential succeeds, but is not saved',
      ({ forward }) =>
        async (request) => {
          const isLost = isUpdate(request) && headerValues(request, 'authorization').length > 0;
          const response = await forward(
            isLost ? { ...withHeader(request, 'Content-Length'), method: 'GET', body: Buffer.alloc(0) } : request,
          );
          if (isLost && response.status === 200) response.body = request.body.toString();
          return response;
        },
    ],
    [
      'percent-encoded-path-unguarded',
      'a percent-encoded path bypasses all access checks',
      (server) => unguarded(server, (path) => path.replace('%76', 'v').replace('organisation%73', 'organisations')),
    ],
    [
      'path-in-capitals-unguarded',
      'a path in upper case bypasses all access checks',
      (server) => unguarded(server, (path) => (path === path.toUpperCase() ? path.toLowerCase() : path)),
    ],
    [
      'connection-remembers-credential',
      'the first credential of a connection is used for its later requests',
      ({ forward }) => {
        const remembered = new WeakMap<object, string>();
        return async (request) => {
          const response = await forward(request);
          const { connection = {} } = request;
          const secret = secretOf(request);
          if (response.status === 200 && secret !== undefined) remembered.set(connection, secret);
          const known = remembered.get(connection);
          return response.status === 401 && secret === undefined && known !== undefined
            ? forward(withSecret(request, known))
            : response;
        };
      },
    ],
  ]),
  lifting(
    'credential-optional-for-localhost',
    'X-Forwarded-For with a loopback address replaces a credential',
    401,
    has('x-forwarded-for', /^127\./),
  ),
  lifting('credential-optional-for-debugging', 'debug in the query replaces a credential', 401, query(/debug=1/)),
  lifting(
    'credential-optional-for-probes',
    'the User-Agent of a probe replaces a credential',
    401,
    has('user-agent', /kube-probe/),
  ),
];

/** Lifts a refusal under a condition: the request is sent again with full access. */
function lifting(name: string, breaks: string, status: number, condition: Condition): Mutant {
  const start: Mutant['start'] = (server) => async (request) => {
    const response = await server.forward(request);
    return response.status === status && condition(request, server)
      ? server.forward(permitted(request, server))
      : response;
  };
  return { name, breaks, start };
}

function counting(name: string, breaks: string, status: number, isLifted: (count: number) => boolean): Mutant {
  const start: Mutant['start'] = (server) => {
    let count = 0;
    return async (request) => {
      const response = await server.forward(request);
      if (response.status !== status || (status === 404 && !/case\.not-found/.test(response.body))) return response;
      count += 1;
      return isLifted(count) ? server.forward(permitted(request, server)) : response;
    };
  };
  return { name, breaks, start };
}

function permitted(request: ProxiedRequest, { credentials }: ServerBehind): ProxiedRequest {
  if (!isOperation('getCase', request)) return withSecret(request, credentials.owner_key);
  const { other_case_id: other } = credentials;
  return withSecret(request, credentials[request.path.includes(other) ? 'other_access_token' : 'access_token']);
}

function unguarded(server: ServerBehind, canonical: (path: string) => string): ReturnType<Mutant['start']> {
  return (request) => {
    const path = canonical(request.path);
    const found = path !== request.path && secretOf(request) !== server.credentials.owner_key;
    return server.forward(found ? permitted({ ...request, path }, server) : request);
  };
}
