import type { Handler, Mutant, ServerBehind } from '../mutant.ts';
import { errorResponse, headerValues, isCase, isUpdate, jsonOf, secretOf, withSecret } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

/** Checks in another order than in decision D11. */
export const orderMutants: readonly Mutant[] = handlerMutants([
  [
    'body-before-authentication',
    'an invalid body gets 400 before authentication',
    'explored.*.credential*',
    bodyFirst([401], [400]),
  ],
  [
    'body-before-permission',
    'an invalid body gets 400 before the permission check',
    'explored.*.permission*',
    bodyFirst([403], [400]),
  ],
  [
    'media-type-before-permission',
    'another media type gets 415 before the permission check',
    'explored.*.permission*',
    bodyFirst([403], [415]),
  ],
  [
    'case-before-authentication',
    'a case that does not exist gets 404 before authentication',
    'explored.*',
    ({ forward, credentials }) =>
      async (request) => {
        const response = await forward(request);
        if (response.status !== 401 || !isCase(request)) return response;
        const found = await forward(withSecret(request, credentials.access_token));
        return found.status === 404 ? found : response;
      },
  ],
  [
    'authentication-before-method',
    'an unknown method without a credential gets 401',
    'explored.* conformance.service.status',
    ({ forward }) =>
      async (request) => {
        const response = await forward(request);
        return response.status === 405 && secretOf(request) === undefined
          ? errorResponse(response, 401, 'request.authentication.invalid-token')
          : response;
      },
  ],
  [
    'media-type-before-body-size',
    'a body that is too large and malformed gets 400',
    'explored.updateVerificationSetting.body-size*',
    ({ forward }) =>
      async (request) => {
        const response = await forward(request);
        return isUpdate(request) && response.status === 413 && jsonOf(request) === undefined
          ? errorResponse(response, 400, 'request.validation.failed')
          : response;
      },
  ],
  [
    'permission-before-limit',
    'a key without the permission to update is not limited',
    'explored.updateVerificationSetting.limit* replay.updateVerificationSetting.429',
    ({ forward, credentials }) =>
      async (request) => {
        const response = await forward(request);
        const lacksPermission = [credentials.viewer_key, credentials.member_key].includes(secretOf(request) ?? '');
        return response.status === 429 && isUpdate(request) && lacksPermission
          ? errorResponse(response, 403, 'request.forbidden')
          : response;
      },
  ],
]);

/** Replaces a refusal of an invalid body by what the owner gets for that body, if the statuses match. */
function bodyFirst(before: number[], statuses: number[]) {
  return ({ forward, credentials }: ServerBehind): Handler =>
    async (request) => {
      const response = await forward(request);
      if (!isUpdate(request) || !before.includes(response.status) || !isInvalid(request)) return response;
      const asOwner = await forward(withSecret(request, credentials.owner_key));
      return statuses.includes(asOwner.status) ? asOwner : response;
    };
}

function isInvalid(request: Parameters<Handler>[0]): boolean {
  const value = jsonOf(request);
  const valid =
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === 'enabled' &&
    typeof (value as { enabled: unknown }).enabled === 'boolean';
  const json = headerValues(request, 'content-type').some((type) => /^application\/json/i.test(type));
  return !valid || !json || request.body.length > 16_384;
}
