import { matchOperation } from '../../document/index.ts';
import { ownDocument } from '../../document/own-document.ts';
import type { CredentialName } from '../../run/model.ts';
import type { Mutant, ProxiedRequest, ServerBehind } from '../mutant.ts';
import { errorResponse, headerValues, isCase, isReading, isUpdate, secretOf, withSecret } from '../requests.ts';
import { handlerMutants, requestMutants } from '../tampering.ts';

type Condition = (request: ProxiedRequest, credentials: ServerBehind['credentials']) => boolean;

/** Invalid credentials that are accepted, and valid ones that are refused. */
const authenticationMutants = [
  accepting('no-authentication', 'any credential is accepted, and so is none', 'explored.*.credential*', () => true),
  accepting(
    'absent-key-accepted-to-read',
    'reading the setting needs no key',
    'explored.*.credential*',
    (request) => secretOf(request) === undefined && isReading(request),
  ),
  accepting(
    'absent-token-accepted',
    'reading a case needs no token',
    'explored.getCase.credential*',
    (request) => secretOf(request) === undefined && isCase(request),
  ),
  accepting(
    'absent-key-accepted-to-head',
    'HEAD needs no credential',
    'explored.*.credential*',
    (request) => request.method === 'HEAD',
  ),
  accepting(
    'revoked-key-accepted',
    'a revoked key is accepted',
    'explored.*.credential* replay.getVerificationSetting.401',
    (request, { revoked_key: revoked }) => secretOf(request) === revoked,
  ),
  accepting(
    'secret-compared-by-prefix',
    'characters after a valid secret are ignored',
    'explored.*.credential* explored.getCase.credential*',
    (request, credentials) =>
      secretsOf(credentials).some((secret) => secretOf(request) !== secret && secretOf(request)?.startsWith(secret)),
  ),
  accepting(
    'key-accepted-for-case',
    'a key is accepted for a case',
    'explored.getCase.credential*',
    (request, { owner_key: key }) => isCase(request) && headerValues(request, 'x-api-key').includes(key),
  ),
  accepting(
    'token-without-scheme-accepted',
    'a token without Bearer is accepted',
    'explored.getCase.credential*',
    (request, { access_token: token }) => headerValues(request, 'authorization').includes(token),
  ),
  accepting(
    'doubled-credential-accepted',
    'the first of two credentials is accepted',
    'explored.*',
    (request) => headerValues(request, 'x-api-key').length > 1 || headerValues(request, 'authorization').length > 1,
  ),
  accepting('other-region-accepted', 'a secret of another region is accepted', 'explored.*.credential*', (request) =>
    /^\w+_ca_/.test(secretOf(request) ?? ''),
  ),
  ...handlerMutants([
    [
      'lower-case-bearer-refused',
      'the scheme bearer in lower case is refused',
      'explored.getCase.success*',
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
      'explored.*.permission*',
      (request, { credentials }) =>
        secretOf(request) === credentials.member_key ? withSecret(request, 'none') : undefined,
    ],
  ]),
];

/** Accepts a refused credential that fulfils the condition, with full access. */
function accepting(name: string, breaks: string, promise: string, condition: Condition): Mutant {
  const start: Mutant['start'] = (server) => async (request) => {
    const response = await server.forward(request);
    if (response.status !== 401 || !condition(request, server.credentials)) return response;
    const operationId = matchOperation(ownDocument, request.method, request.path)?.operationId;
    return server.forward(
      withSecret(request, server.credentials[operationId === 'getCase' ? 'access_token' : 'owner_key']),
    );
  };
  return { name, breaks, promise, start };
}

function secretsOf(credentials: ServerBehind['credentials']): string[] {
  const names: CredentialName[] = ['owner_key', 'member_key', 'viewer_key', 'access_token'];
  return names.map((name) => credentials[name]);
}

type KeyName = 'owner_key' | 'member_key' | 'viewer_key' | 'feature_off_key';

/** Permissions and features that are not checked, or checked wrongly. */
const authorisationMutants = [
  ...requestMutants([
    [
      'permission-to-write-skipped',
      'every role may update',
      'explored.*.permission*',
      (request, server) => (isUpdate(request) ? played(['member_key', 'viewer_key'], request, server) : undefined),
    ],
    [
      'permission-skipped-for-head',
      'HEAD requires no permission',
      'explored.*',
      (request, server) => (request.method === 'HEAD' ? played(['viewer_key'], request, server) : undefined),
    ],
    [
      'feature-skipped-to-read',
      'reading does not require the feature',
      'explored.*.feature*',
      (request, server) => (isReading(request) ? played(['feature_off_key'], request, server) : undefined),
    ],
    [
      'feature-skipped-to-write',
      'updating does not require the feature',
      'explored.*.feature*',
      (request, server) => (isUpdate(request) ? played(['feature_off_key'], request, server) : undefined),
    ],
    [
      'writing-needed-to-read',
      'reading requires the permission to update',
      'explored.getVerificationSetting.success*',
      (request, { credentials }) =>
        isReading(request) && secretOf(request) === credentials.member_key
          ? withSecret(request, credentials.viewer_key)
          : undefined,
    ],
  ]),
  ...handlerMutants([
    [
      'first-role-remembered',
      'member_key may update once owner_key has updated',
      'explored.* explored.*.permission*',
      ({ forward, credentials }) => {
        let ownerHasUpdated = false;
        return async (request) => {
          const byMember = isUpdate(request) && secretOf(request) === credentials.member_key;
          const response = await forward(
            byMember && ownerHasUpdated ? withSecret(request, credentials.owner_key) : request,
          );
          ownerHasUpdated ||= isUpdate(request) && response.status === 200;
          return response;
        };
      },
    ],
    [
      'permission-asked-for-case',
      'reading a case requires a permission',
      'conformance.getCase.status',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return isCase(request) && response.status === 200 && secretOf(request) === credentials.other_access_token
            ? errorResponse(response, 403, 'request.forbidden')
            : response;
        },
    ],
    [
      'method-override-honoured',
      'X-HTTP-Method-Override changes the method',
      'explored.* conformance.*.status',
      ({ forward }) =>
        (request) => {
          const override = request.headers.find(([name]) => name.toLowerCase() === 'x-http-method-override')?.[1];
          return forward(override === undefined ? request : { ...request, method: override.toUpperCase() });
        },
    ],
  ]),
];

/** Turns a request with one of these keys into the owner's. */
function played(names: KeyName[], request: Parameters<ServerBehind['forward']>[0], { credentials }: ServerBehind) {
  const secret = secretOf(request);
  return names.some((name) => credentials[name] === secret) ? withSecret(request, credentials.owner_key) : undefined;
}

/** Organisations that can see data of each other. */
const tenancyMutants = [
  ...handlerMutants([
    [
      'foreign-case-readable',
      'a case of another organisation is returned',
      'explored.getCase.not-found*',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status !== 404 || !isCase(request)) return response;
          const other = await forward(withSecret(request, credentials.other_access_token));
          return other.status === 200 ? other : forward(withSecret(request, credentials.access_token));
        },
    ],
    [
      'foreign-case-readable-in-capitals',
      'a case of another organisation is returned if its id is in upper case',
      'explored.getCase.not-found*',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          const oddSpelling = request.path !== request.path.toLowerCase();
          return response.status === 404 && isCase(request) && oddSpelling
            ? forward(withSecret(request, credentials.other_access_token))
            : response;
        },
    ],
    [
      'foreign-case-disclosed-by-status',
      "another organisation's case gets 403",
      'explored.getCase.not-found* conformance.getCase.status',
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
      'explored.getCase.not-found*',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status === 404 && request.path.includes(credentials.other_case_id))
            response.body = response.body.replace('no such case', 'a case of another organisation');
          return response;
        },
    ],
    [
      'foreign-case-disclosed-by-details',
      'error_details distinguishes an unknown identifier from a malformed one',
      'explored.getCase.not-found*',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          if (response.status === 404 && isCase(request) && !/[\da-f]{8}-[\da-f]{4}-/i.test(request.path))
            response.body = response.body.replace(/\}$/, ',"error_details":{"field":"id"}}');
          return response;
        },
    ],
    [
      'setting-of-each-key',
      'each key has a separate setting',
      'conformance.getVerificationSetting.200.saved-value explored.*',
      ({ forward, credentials }) => {
        let held: string | undefined;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 200 || !isReading(request)) return response;
          if (secretOf(request) !== credentials.member_key) return response;
          response.body = held ??= response.body;
          return response;
        };
      },
    ],
    [
      'foreign-token-refused',
      'the token of a second organisation is refused',
      'explored.getCase.* 4.3-O1.*',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return response.status === 200 && secretOf(request) === credentials.other_access_token
            ? errorResponse(response, 404, 'request.cases.case.not-found')
            : response;
        },
    ],
  ]),
];

export const accessMutants: readonly Mutant[] = [...authenticationMutants, ...authorisationMutants, ...tenancyMutants];
