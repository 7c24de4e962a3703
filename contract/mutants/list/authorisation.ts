import type { ServerBehind } from '../mutant.ts';
import { errorResponse, isOperation, isUpdate, secretOf, withSecret } from '../requests.ts';
import { handlerMutants, requestMutants } from '../tampering.ts';

type KeyName = 'owner_key' | 'member_key' | 'viewer_key' | 'feature_off_key';

/** Permissions and features that are not checked, or checked wrongly. */
export const authorisationMutants = [
  ...requestMutants([
    [
      'permission-to-write-skipped',
      'every role may update',
      (request, server) => (isUpdate(request) ? played(['member_key', 'viewer_key'], request, server) : undefined),
    ],
    [
      'reading-suffices-to-write',
      'the permission to read allows updates',
      (request, server) => (isUpdate(request) ? played(['member_key'], request, server) : undefined),
    ],
    [
      'viewer-may-write',
      'a role without permissions may update',
      (request, server) => (isUpdate(request) ? played(['viewer_key'], request, server) : undefined),
    ],
    [
      'permission-to-read-skipped',
      'every role may read',
      (request, server) =>
        isOperation('getVerificationSetting', request) ? played(['viewer_key'], request, server) : undefined,
    ],
    [
      'permission-skipped-for-head',
      'HEAD requires no permission',
      (request, server) => (request.method === 'HEAD' ? played(['viewer_key'], request, server) : undefined),
    ],
    [
      'feature-skipped-to-read',
      'reading does not require the feature',
      (request, server) =>
        isOperation('getVerificationSetting', request) ? played(['feature_off_key'], request, server) : undefined,
    ],
    [
      'feature-skipped-to-write',
      'updating does not require the feature',
      (request, server) => (isUpdate(request) ? played(['feature_off_key'], request, server) : undefined),
    ],
    [
      'feature-skipped-for-head',
      'HEAD does not require the feature',
      (request, server) => (request.method === 'HEAD' ? played(['feature_off_key'], request, server) : undefined),
    ],
    [
      'writing-needed-to-read',
      'reading requires the permission to update',
      (request, { credentials }) =>
        isOperation('getVerificationSetting', request) && secretOf(request) === credentials.member_key
          ? withSecret(request, credentials.viewer_key)
          : undefined,
    ],
  ]),
  ...handlerMutants([
    [
      'first-role-remembered',
      'member_key may update once owner_key has updated',
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
      ({ forward, credentials }) =>
        async (request) => {
          const response = await forward(request);
          return isOperation('getCase', request) &&
            response.status === 200 &&
            secretOf(request) === credentials.other_access_token
            ? errorResponse(response, 403, 'request.forbidden')
            : response;
        },
    ],
    [
      'refusal-by-query',
      'a query parameter bypasses the permission check',
      ({ forward, credentials }) =>
        (request) =>
          forward(/[?&](admin|role|debug)=/.test(request.path) ? withSecret(request, credentials.owner_key) : request),
    ],
    [
      'method-override-honoured',
      'X-HTTP-Method-Override changes the method',
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
