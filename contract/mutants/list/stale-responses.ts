import type { Handler } from '../mutant.ts';
import { isOperation, isUpdate, jsonOf, secretOf } from '../requests.ts';
import { bodyMutants, handlerMutants, set } from '../tampering.ts';

const read = 'getVerificationSetting 200';
const update = 'updateVerificationSetting 200';

/** Responses that do not return the saved value. */
export const staleResponseMutants = [
  ...bodyMutants([
    [
      'update-responds-opposite',
      'an update returns the opposite',
      update,
      (body) => ({ enabled: body.enabled !== true }),
    ],
    ['update-responds-true', 'every update returns true', update, set({ enabled: true })],
    ['read-responds-false', 'every read returns false', read, set({ enabled: false })],
    ['read-responds-true', 'every read returns true', read, set({ enabled: true })],
    ['read-inverted', 'every read returns the opposite', read, (body) => ({ enabled: body.enabled !== true })],
  ]),
  ...handlerMutants([
    [
      'update-responds-old-value',
      'an update returns the previous value',
      ({ forward }) => {
        let held = '{"enabled":false}';
        return async (request) => {
          const response = await forward(request);
          if (isUpdate(request) && response.status === 200) [response.body, held] = [held, response.body];
          return response;
        };
      },
    ],
    ['read-cached-for-ever', 'the first read is cached for ever', ({ forward }) => remembering(forward, () => false)],
    [
      'read-cached-while-off',
      'a cached read is still returned after the setting is switched off',
      ({ forward }) =>
        remembering(
          forward,
          (request) =>
            isUpdate(request) && (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled === true,
        ),
    ],
    [
      'read-cached-for-each-key',
      'a read is cached per key and still returned after an update with another key',
      ({ forward, credentials }) =>
        remembering(
          forward,
          () => false,
          (request) => secretOf(request) === credentials.member_key,
        ),
    ],
    [
      'read-one-update-late',
      'reads return the value before the last update',
      ({ forward }) => late(forward, () => false),
    ],
    [
      'read-a-second-late',
      'an update takes effect a second later',
      ({ forward }) => late(forward, (since) => Date.now() - since > 1000),
    ],
    [
      'case-cached-for-all',
      'the first case that was read is returned for every identifier',
      ({ forward }) => {
        let first: string | undefined;
        return async (request) => {
          const response = await forward(request);
          if (isOperation('getCase', request) && response.status === 200) response.body = first ??= response.body;
          return response;
        };
      },
    ],
  ]),
];

function remembering(
  forward: Handler,
  forgets: (request: Parameters<Handler>[0]) => boolean,
  remembers: (request: Parameters<Handler>[0]) => boolean = () => true,
): Handler {
  let first: string | undefined;
  return async (request) => {
    const response = await forward(request);
    if (forgets(request)) first = undefined;
    if (isOperation('getVerificationSetting', request) && response.status === 200 && remembers(request))
      response.body = first ??= response.body;
    return response;
  };
}

/** Responds to readings after an update with the value before it, until the delay is over. */
function late(forward: Handler, isOver: (since: number) => boolean): Handler {
  let held = '{"enabled":false}';
  let before = held;
  let since = 0;
  return async (request) => {
    const response = await forward(request);
    if (response.status !== 200) return response;
    if (isUpdate(request)) [before, held, since] = [held, response.body, Date.now()];
    else if (isOperation('getVerificationSetting', request) && !isOver(since)) response.body = before;
    return response;
  };
}
