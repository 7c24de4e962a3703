import type { CredentialName } from '../../run/model.ts';
import type { ProxiedRequest, ServerBehind } from '../mutant.ts';
import { headerValues, isOperation, isUpdate, jsonOf, secretOf, withSecret } from '../requests.ts';
import { handlerMutants, requestMutants } from '../tampering.ts';

/** Ways past authentication and permission that open only under a condition. */
export const accessMutants = [
  ...requestMutants([
    [
      'revoked-key-reads',
      'a revoked key may still read',
      (request, server) =>
        isOperation('getVerificationSetting', request) ? asOwner('revoked_key', request, server) : undefined,
    ],
    [
      'revoked-key-updates',
      'a revoked key may still update',
      (request, server) => (isUpdate(request) ? asOwner('revoked_key', request, server) : undefined),
    ],
    [
      'member-may-switch-off',
      'the permission to read allows switching off',
      (request, server) =>
        isUpdate(request) && enabledOf(request) === false ? asOwner('member_key', request, server) : undefined,
    ],
    [
      'member-may-switch-on',
      'the permission to read allows switching on',
      (request, server) =>
        isUpdate(request) && enabledOf(request) === true ? asOwner('member_key', request, server) : undefined,
    ],
    [
      'feature-skipped-to-switch-off',
      'switching off does not require the feature',
      (request, server) =>
        isUpdate(request) && enabledOf(request) === false ? asOwner('feature_off_key', request, server) : undefined,
    ],
    [
      'secret-cut-short-accepted',
      'a secret without its last character is accepted',
      (request, { credentials }) =>
        known(credentials).flatMap((secret) =>
          secretOf(request) === secret.slice(0, -1) ? [withSecret(request, secret)] : [],
        )[0],
    ],
    [
      'other-header-accepted',
      'a key is accepted in Authorization with a custom scheme',
      (request, { credentials: { owner_key: key } }) =>
        headerValues(request, 'authorization').some((value) => /^apikey /i.test(value) && value.endsWith(key))
          ? withSecret(request, key)
          : undefined,
    ],
    [
      'spelling-of-scheme-accepted',
      'the scheme Token is accepted instead of Bearer',
      (request, { credentials: { access_token: token } }) =>
        headerValues(request, 'authorization').some((value) => /^token /i.test(value) && value.endsWith(token))
          ? withSecret(request, token)
          : undefined,
    ],
  ]),
  ...handlerMutants([
    [
      'reading-cached-for-all-keys',
      'a cached read is returned to keys without permission',
      ({ forward }) => {
        let last: Awaited<ReturnType<typeof forward>> | undefined;
        return async (request) => {
          const response = await forward(request);
          if (!isOperation('getVerificationSetting', request)) return response;
          if (response.status === 200) last = response;
          return response.status === 403 && last ? last : response;
        };
      },
    ],
    [
      'case-cached-for-all-tokens',
      'a cached case is returned to every token',
      ({ forward }) => {
        const read = new Map<string, Awaited<ReturnType<typeof forward>>>();
        return async (request) => {
          const response = await forward(request);
          if (!isOperation('getCase', request)) return response;
          if (response.status === 200) read.set(request.path, response);
          return response.status === 404 ? (read.get(request.path) ?? response) : response;
        };
      },
    ],
    [
      'update-without-change-open-to-all',
      'an update to the saved value requires no permission',
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          if (!isUpdate(request) || response.status !== 403 || secretOf(request) === credentials.feature_off_key)
            return response;
          const read = await forward(
            withSecret(
              {
                ...request,
                method: 'GET',
                headers: request.headers.filter(([name]) => !/^content-|^transfer/i.test(name)),
                body: Buffer.alloc(0),
              },
              credentials.owner_key,
            ),
          );
          return (JSON.parse(read.body) as { enabled?: unknown }).enabled === enabledOf(request) ? read : response;
        },
    ],
  ]),
];

function enabledOf(request: ProxiedRequest): unknown {
  return (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled;
}

function known(credentials: ServerBehind['credentials']): string[] {
  return [credentials.owner_key, credentials.member_key, credentials.access_token];
}

function asOwner(
  name: CredentialName,
  request: ProxiedRequest,
  { credentials }: ServerBehind,
): ProxiedRequest | undefined {
  return secretOf(request) === credentials[name] ? withSecret(request, credentials.owner_key) : undefined;
}
