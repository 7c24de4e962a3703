import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { headerValues, isOperation, isUpdate, secretOf } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

const isReading = (request: ProxiedRequest) => isOperation('getVerificationSetting', request);
const isCase = (request: ProxiedRequest) => isOperation('getCase', request);
const enabled = (value: boolean) => JSON.stringify({ enabled: value });

/** Changes without a cause or after many requests, and response times that disclose something. */
export const overTimeMutants = [
  ...handlerMutants([
    [
      'setting-moves-by-itself',
      'the setting changes half a second after an update',
      ({ forward }) => {
        let updatedAt = Infinity;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 200) return response;
          if (isUpdate(request)) updatedAt = performance.now();
          if (!isReading(request) || performance.now() - updatedAt < 500) return response;
          return { ...response, body: enabled(!response.body.includes('true')) };
        };
      },
    ],
    [
      'setting-opposite-with-client-ip',
      'a read with True-Client-IP returns the opposite',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const isMeant = isReading(request) && headerValues(request, 'true-client-ip').length > 0;
          return isMeant && response.status === 200
            ? { ...response, body: enabled(!response.body.includes('true')) }
            : response;
        },
    ],
    [
      'setting-off-after-many-requests',
      'the setting switches off 60 requests after an update',
      afterRequests(
        60,
        isReading,
        (response) => (response.status === 200 ? { ...response, body: enabled(false) } : response),
        (request, { status }) => isUpdate(request) && status === 200,
      ),
    ],
    [
      'setting-off-after-refusals',
      'the setting switches off after ten refused requests',
      ({ forward }) => {
        let refusals = 0;
        return async (request) => {
          const response = await forward(request);
          if (response.status >= 400) refusals += 1;
          if (isUpdate(request) && response.status === 200) refusals = 0;
          return isReading(request) && response.status === 200 && refusals >= 10
            ? { ...response, body: enabled(false) }
            : response;
        };
      },
    ],
    [
      'permission-given-after-many-requests',
      'a viewer may read the setting after eight requests',
      ({ forward, credentials }) => {
        let requests = 0;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 403 || !isReading(request) || secretOf(request) !== credentials.viewer_key)
            return response;
          return (requests += 1) < 8
            ? response
            : { ...response, status: 200, headers: { ...response.headers }, body: enabled(false) };
        };
      },
    ],
    [
      'message-changes-after-many-requests',
      'the message of an error changes after 40 requests',
      afterRequests(40, isCase, (response) =>
        response.status === 404
          ? { ...response, body: response.body.replace(/"error_message":"[^"]*"/, '"error_message":"Again?"') }
          : response,
      ),
    ],
    ['foreign-case-slower', 'a foreign case is refused 100 ms later than an unknown one', slower(true)],
    ['unknown-case-slower', 'an unknown case is refused 100 ms later than a foreign one', slower(false)],
  ]),
];

/** Breaks responses after this many requests, counted from the last one that resets the count. */
function afterRequests(
  many: number,
  condition: (request: ProxiedRequest) => boolean,
  edit: (response: ProxiedResponse) => ProxiedResponse,
  beginsAnew: (request: ProxiedRequest, response: ProxiedResponse) => boolean = () => false,
): Mutant['start'] {
  return ({ forward }) => {
    let requests = 0;
    return async (request) => {
      const response = await forward(request);
      requests = beginsAnew(request, response) ? 0 : requests + 1;
      return requests > many && condition(request) && response.status !== 429 ? edit(response) : response;
    };
  };
}

function slower(foreign: boolean): Mutant['start'] {
  return ({ forward, credentials }) =>
    async (request) => {
      const response = await forward(request);
      const isForeign = request.path.includes(credentials.other_case_id);
      if (response.status === 404 && isCase(request) && isForeign === foreign) await sleep(100);
      return response;
    };
}
