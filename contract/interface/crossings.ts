/** Additions to a request that must not change its authorisation. */
import type { CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { apiKey, bearer, type Header } from './requests.ts';

/** A variation of a request. */
export interface Crossing {
  /** As in `with X-Forwarded-For: 127.0.0.1`. */
  readonly name: string;
  readonly needs?: readonly CredentialName[];
  readonly cross: (request: RequestSpec, context: CheckContext) => RequestSpec;
}

/** Adds a query and headers to a request. */
export function dressed(request: RequestSpec, query: string, headers: readonly Header[]): RequestSpec {
  const path = query === '' ? request.path : `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`;
  return { ...request, path, headers: [...(request.headers ?? []), ...headers] };
}

const queries = [
  'admin=true&role=owner&debug=1',
  'enabled=true',
  'organisation_id=de300000-0000-4000-8000-000000000003',
  '__proto__[role]=owner&constructor[prototype][role]=owner',
  '',
];

const fields: readonly Header[] = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-For', '::1, 10.0.0.1'],
  ['X-Forwarded-Host', 'localhost'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Prefix', '/internal'],
  ['X-Forwarded-User', 'owner'],
  ['X-Forwarded-Uri', '/'],
  ['Forwarded', 'for=127.0.0.1;host=localhost;proto=https'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Client-IP', '127.0.0.1'],
  ['True-Client-IP', '127.0.0.1'],
  ['X-Custom-IP-Authorization', '127.0.0.1'],
  ['X-Original-URL', '/'],
  ['X-Rewrite-URL', '/'],
  ['X-Remote-User', 'owner'],
  ['X-User-Role', 'owner'],
  ['X-Organisation-Id', 'de300000-0000-4000-8000-000000000003'],
  ['X-Internal-Request', 'true'],
  ['X-Debug', '1'],
  ['Via', '1.1 gateway'],
  ['Cookie', 'role=owner; admin=true'],
  ['Cookie', 'session=1'],
  ['Origin', 'https://localhost'],
  ['Referer', 'https://localhost/admin'],
  ['User-Agent', 'kube-probe/1.30'],
  ['Accept', 'text/html'],
];

/** Additions that a server ignores when it refuses a request: they must not bypass any rule of the interface. */
export const additions: readonly Crossing[] = [
  ...queries.map((query): Crossing => ({
    name: `with the query ?${query}`,
    cross: (request) => (query === '' ? { ...request, path: `${request.path}?` } : dressed(request, query, [])),
  })),
  ...fields.map((field): Crossing => ({
    name: `with ${field.join(': ')}`,
    cross: (request) => dressed(request, '', [field]),
  })),
  {
    name: 'with two lines of Cookie and of X-Forwarded-For',
    cross: (request) =>
      dressed(request, '', [
        ['Cookie', 'a=1'],
        ['X-Forwarded-For', '127.0.0.1'],
        ['cookie', 'role=owner'],
        ['x-forwarded-for', '10.0.0.1'],
      ]),
  },
  respelt('in lower case', (name) => name.toLowerCase()),
  respelt('in capitals', (name) => name.toUpperCase()),
  respelt('in odd case', (name) =>
    Array.from(name, (letter, at) => (at % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join(''),
  ),
];

const overriding = ['GET', 'HEAD', 'OPTIONS', 'PUT'];

/** Decision D17: only the request line determines the method. */
export const overrides: readonly Crossing[] = [
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].flatMap((header) =>
    overriding.map((method): Crossing => ({
      name: `with ${header}: ${method}`,
      cross: (request) => dressed(request, '', [[header, method]]),
    })),
  ),
  ...overriding.map((method): Crossing => ({
    name: `with the query ?_method=${method}`,
    cross: (request) => dressed(request, `_method=${method}&method=${method}`, []),
  })),
  {
    name: 'by HTTP/1.0',
    cross: (request) => ({ ...request, requestLine: `${request.method} ${request.path} HTTP/1.0` }),
  },
];

/**
 * Decision D22: a credential in a place where the operation does not read one is ignored, even if it is valid
 * elsewhere.
 */
export const secondCredentials: readonly Crossing[] = [
  beside('owner_key', 'in the query', (key) => [`x-api-key=${key}&api_key=${key}`, []]),
  beside('owner_key', 'in a cookie', (key) => ['', [['Cookie', `x-api-key=${key}; api_key=${key}`]]]),
  beside('owner_key', 'in Proxy-Authorization', (key) => ['', [['Proxy-Authorization', `Bearer ${key}`]]]),
  beside('owner_key', 'in X-Auth-Token', (key) => ['', [['X-Auth-Token', key]]]),
  beside('owner_key', 'of another region', (key) => ['', [['X-Api-Key-Fallback', key.replace(/_(uk|ca)_/, '_ca_')]]]),
  beside('owner_key', 'in the header of the other scheme', (key, byToken) => [
    '',
    [byToken ? apiKey(key) : bearer(key)],
  ]),
  beside('access_token', 'in the header of the other scheme', (token, byToken) => [
    '',
    [byToken ? apiKey(token) : bearer(token)],
  ]),
];

function respelt(name: string, spell: (header: string) => string): Crossing {
  return {
    name: `with header names ${name}`,
    cross: (request) => ({
      ...request,
      headers: (request.headers ?? []).map(([header, value]) => [spell(header), value] as const),
    }),
  };
}

function beside(
  credential: 'owner_key' | 'access_token',
  where: string,
  present: (secret: string, byToken: boolean) => [query: string, headers: Header[]],
): Crossing {
  return {
    name: `with ${credential} ${where}`,
    needs: [credential],
    cross: (request, context) => {
      const byToken = request.path.startsWith('/cases/');
      return dressed(request, ...present(context.credential(credential), byToken));
    },
  };
}
