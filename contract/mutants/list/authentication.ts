import { matchOperation } from '../../document/index.ts';
import type { CredentialName } from '../../run/model.ts';
import { ownDocument } from '../../document/own-document.ts';
import type { Mutant, ProxiedRequest, ServerBehind } from '../mutant.ts';
import { headerValues, isOperation, secretOf, withSecret } from '../requests.ts';
import { handlerMutants, requestMutants } from '../tampering.ts';

type Condition = (request: ProxiedRequest, credentials: ServerBehind['credentials']) => boolean;

/** Invalid credentials that are accepted, and valid ones that are refused. */
export const authenticationMutants = [
  accepting('no-authentication', 'any credential is accepted, and so is none', () => true),
  accepting(
    'absent-credential-accepted',
    'a request without a credential is accepted',
    (request) => secretOf(request) === undefined,
  ),
  accepting(
    'absent-key-accepted-to-read',
    'reading the setting needs no key',
    (request) => secretOf(request) === undefined && isOperation('getVerificationSetting', request),
  ),
  accepting(
    'absent-token-accepted',
    'reading a case needs no token',
    (request) => secretOf(request) === undefined && isOperation('getCase', request),
  ),
  accepting('absent-key-accepted-to-head', 'HEAD needs no credential', (request) => request.method === 'HEAD'),
  accepting('empty-credential-accepted', 'an empty credential is accepted', (request) => secretOf(request) === ''),
  accepting(
    'revoked-key-accepted',
    'a revoked key is accepted',
    (request, { revoked_key: revoked }) => secretOf(request) === revoked,
  ),
  accepting('well-formed-secret-accepted', 'any well-formed secret is accepted', (request) =>
    /^[a-z]+_[a-z]+_\w{20,}$/i.test(secretOf(request) ?? ''),
  ),
  accepting('unknown-secret-accepted', 'a secret that is too short is accepted', (request) =>
    /^.{1,12}$/.test(secretOf(request) ?? ''),
  ),
  accepting('secret-compared-by-prefix', 'characters after a valid secret are ignored', (request, credentials) =>
    secretsOf(credentials).some((secret) => secretOf(request) !== secret && secretOf(request)?.startsWith(secret)),
  ),
  accepting('secret-in-any-case', 'secrets are case-insensitive', (request, credentials) =>
    secretsOf(credentials).some(
      (secret) => secretOf(request) !== secret && secretOf(request)?.toLowerCase() === secret.toLowerCase(),
    ),
  ),
  accepting('key-checksum-ignored', 'the last characters of a secret are ignored', (request, credentials) =>
    secretsOf(credentials).some(
      (secret) => secretOf(request) !== secret && secretOf(request)?.slice(0, -6) === secret.slice(0, -6),
    ),
  ),
  accepting('key-accepted-as-bearer', 'a key is accepted as a bearer token', (request, { owner_key: key }) =>
    headerValues(request, 'authorization').some((value) => value.endsWith(key)),
  ),
  accepting('token-accepted-as-key', 'a token is accepted as a key', (request, { access_token: token }) =>
    headerValues(request, 'x-api-key').includes(token),
  ),
  accepting(
    'key-accepted-for-case',
    'a key is accepted for a case',
    (request, { owner_key: key }) =>
      isOperation('getCase', request) && headerValues(request, 'x-api-key').includes(key),
  ),
  accepting('any-scheme-accepted', 'the scheme before a token is ignored', (request, { access_token: token }) =>
    headerValues(request, 'authorization').some((value) => value.endsWith(` ${token}`)),
  ),
  accepting('token-without-scheme-accepted', 'a token without Bearer is accepted', (request, { access_token: token }) =>
    headerValues(request, 'authorization').includes(token),
  ),
  accepting(
    'doubled-credential-accepted',
    'the first of two credentials is accepted',
    (request) => headerValues(request, 'x-api-key').length > 1 || headerValues(request, 'authorization').length > 1,
  ),
  accepting('key-in-query-accepted', 'a credential in the query is accepted', (request) =>
    /[?&](x-api-key|api_key|access_token)=./i.test(request.path),
  ),
  accepting(
    'credential-in-cookie-accepted',
    'a credential in a cookie is accepted',
    (request) => headerValues(request, 'cookie').length > 0,
  ),
  accepting(
    'basic-accepted',
    'a credential is accepted as the user name of Basic authentication',
    (request, credentials) =>
      headerValues(request, 'authorization').some((value) =>
        secretsOf(credentials).some((secret) => value.includes(Buffer.from(secret).toString('base64').slice(0, -4))),
      ),
  ),
  accepting('other-region-accepted', 'a secret of another region is accepted', (request) =>
    /^\w+_ca_/.test(secretOf(request) ?? ''),
  ),
  ...handlerMutants([
    [
      'lower-case-bearer-refused',
      'the scheme bearer in lower case is refused',
      ({ forward }) =>
        (request) =>
          forward(
            headerValues(request, 'authorization').some((value) => value.startsWith('bearer '))
              ? withSecret(request, 'none')
              : request,
          ),
    ],
  ]),
  ...requestMutants([
    [
      'member-taken-for-unknown',
      'a key with read permission only is treated as unknown',
      (request, { credentials }) =>
        secretOf(request) === credentials.member_key ? withSecret(request, 'none') : undefined,
    ],
  ]),
];

/** Accepts a refused credential that fulfils the condition, with full access. */
function accepting(name: string, breaks: string, condition: Condition): Mutant {
  const start: Mutant['start'] = (server) => async (request) => {
    const response = await server.forward(request);
    if (response.status !== 401 || !condition(request, server.credentials)) return response;
    const operationId = matchOperation(ownDocument, request.method, request.path)?.operationId;
    return server.forward(
      withSecret(request, server.credentials[operationId === 'getCase' ? 'access_token' : 'owner_key']),
    );
  };
  return { name, breaks, start };
}

function secretsOf(credentials: ServerBehind['credentials']): string[] {
  const names: CredentialName[] = ['owner_key', 'member_key', 'viewer_key', 'access_token'];
  return names.map((name) => credentials[name]);
}
