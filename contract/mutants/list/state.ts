import type { Handler, Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import {
  enabledOf,
  errorResponse,
  headerValues,
  isCase,
  isReading,
  isUpdate,
  secretOf,
  settingOf,
} from '../requests.ts';
import { bodyMutants, handlerMutants, set } from '../tampering.ts';
import { setTimeout as sleep } from 'node:timers/promises';

type Held = (response: ProxiedResponse, request: ProxiedRequest, before: boolean) => unknown;

const succeeds = (response: ProxiedResponse, request: ProxiedRequest) => isUpdate(request) && response.status === 200;

/** Updates with the right response and audit entry that save the wrong value. */
const persistenceMutants = [
  holding(
    'update-not-saved',
    'an update succeeds, but is not saved',
    '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
    (response, request, before) => (succeeds(response, request) ? before : undefined),
  ),
  holding(
    'switching-on-not-saved',
    'switching on succeeds, but is not saved',
    '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
    (response, request, before) => (succeeds(response, request) ? before && enabledOf(request) : undefined),
  ),
  holding(
    'switching-off-not-saved',
    'switching off succeeds, but is not saved',
    '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
    (response, request, before) => (succeeds(response, request) ? before || enabledOf(request) : undefined),
  ),
  holding(
    'update-saves-opposite',
    'every update saves the opposite',
    '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
    (response, request) => (succeeds(response, request) ? enabledOf(request) !== true : undefined),
  ),
  holding(
    'update-toggles',
    'an update to the saved value inverts it',
    '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
    (response, request, before) => (succeeds(response, request) && enabledOf(request) === before ? !before : undefined),
  ),
  holding('head-flips', 'each HEAD inverts the setting', 'explored.*', (response, request, before) =>
    request.method === 'HEAD' && response.status === 200 ? !before : undefined,
  ),
  holding(
    'invalid-update-saved',
    'an update with an extra field is refused, but saved',
    'explored.updateVerificationSetting.body*',
    refused(400),
  ),
  holding(
    'too-large-update-saved',
    'an update that is too large is refused, but saved',
    'explored.updateVerificationSetting.body-size*',
    refused(413),
  ),
  holding(
    'unsupported-update-saved',
    'an update of another media type is refused, but saved',
    'explored.updateVerificationSetting.media-type*',
    refused(415),
  ),
  holding(
    'limited-update-saved',
    'an update beyond the limit is refused, but saved',
    'explored.updateVerificationSetting.limit*',
    refused(429),
  ),
  ...handlerMutants([
    [
      'repeated-update-refused',
      'an update to the saved value gets 409',
      'conformance.updateVerificationSetting.status',
      ({ forward }) => {
        let last: string | undefined;
        return async (request) => {
          const response = await forward(request);
          if (!succeeds(response, request)) return response;
          const repeated = last === response.body;
          last = response.body;
          return repeated ? errorResponse(response, 409, 'request.cases.case.already-locked') : response;
        };
      },
    ],
  ]),
];

function refused(status: number): Held {
  return (response, request) => (isUpdate(request) && response.status === status ? enabledOf(request) : undefined);
}

/** Saves another value after a response, if `held` returns a boolean. */
function holding(name: string, breaks: string, promise: string, held: Held): Mutant {
  const start: Mutant['start'] = ({ forward, database, organisationId }) => {
    const select = database
      .prepare<[string], number>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
      .pluck();
    const update = database.prepare('UPDATE organisation SET verification_enabled = ? WHERE organisation_id = ?');
    return async (request) => {
      const before = select.get(organisationId) === 1;
      const response = await forward(request);
      const enabled = held(response, request, before);
      if (typeof enabled === 'boolean') update.run(Number(enabled), organisationId);
      return response;
    };
  };
  return { name, breaks, promise, start };
}

const read = 'getVerificationSetting 200';
const update = 'updateVerificationSetting 200';

/** Responses that do not return the saved value. */
const staleResponseMutants = [
  ...bodyMutants([
    [
      'update-responds-opposite',
      'an update returns the opposite',
      'explored.updateVerificationSetting.success*',
      update,
      (body) => ({ enabled: body.enabled !== true }),
    ],
    [
      'update-responds-true',
      'every update returns true',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      update,
      set({ enabled: true }),
    ],
    [
      'read-responds-false',
      'every read returns false',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      read,
      set({ enabled: false }),
    ],
    [
      'read-responds-true',
      'every read returns true',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      read,
      set({ enabled: true }),
    ],
    [
      'read-inverted',
      'every read returns the opposite',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      read,
      (body) => ({ enabled: body.enabled !== true }),
    ],
  ]),
  ...handlerMutants([
    [
      'read-cached-for-each-key',
      'a read is cached per key and still returned after an update with another key',
      'conformance.getVerificationSetting.200.saved-value explored.*',
      ({ forward, credentials }) =>
        remembering(
          forward,
          () => false,
          (request) => secretOf(request) === credentials.member_key,
        ),
    ],
    [
      'case-cached-for-all',
      'the first case that was read is returned for every identifier',
      '4.3-O1.*',
      ({ forward }) => {
        let first: string | undefined;
        return async (request) => {
          const response = await forward(request);
          if (isCase(request) && response.status === 200) response.body = first ??= response.body;
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
    if (isReading(request) && response.status === 200 && remembers(request)) response.body = first ??= response.body;
    return response;
  };
}

/** Changes without a cause or after many requests, and response times that disclose something. */
const overTimeMutants = [
  ...handlerMutants([
    [
      'setting-moves-by-itself',
      'the setting changes half a second after an update',
      'conformance.getVerificationSetting.200.saved-value explored.*',
      ({ forward }) => {
        let updatedAt = Infinity;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 200) return response;
          if (isUpdate(request)) updatedAt = performance.now();
          if (!isReading(request) || performance.now() - updatedAt < 500) return response;
          return { ...response, body: settingOf(!response.body.includes('true')) };
        };
      },
    ],
    [
      'setting-opposite-with-client-ip',
      'a read with True-Client-IP returns the opposite',
      'conformance.getVerificationSetting.200.saved-value',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const isMeant = isReading(request) && headerValues(request, 'true-client-ip').length > 0;
          return isMeant && response.status === 200
            ? { ...response, body: settingOf(!response.body.includes('true')) }
            : response;
        },
    ],
    [
      'setting-off-after-many-requests',
      'the setting switches off 60 requests after an update',
      'conformance.getVerificationSetting.200.saved-value',
      afterRequests(
        60,
        isReading,
        (response) => (response.status === 200 ? { ...response, body: settingOf(false) } : response),
        (request, { status }) => isUpdate(request) && status === 200,
      ),
    ],
    [
      'permission-given-after-many-requests',
      'a viewer may read the setting after eight requests',
      'explored.getVerificationSetting.permission*',
      ({ forward, credentials }) => {
        let requests = 0;
        return async (request) => {
          const response = await forward(request);
          if (response.status !== 403 || !isReading(request) || secretOf(request) !== credentials.viewer_key)
            return response;
          return (requests += 1) < 8
            ? response
            : { ...response, status: 200, headers: { ...response.headers }, body: settingOf(false) };
        };
      },
    ],
    [
      'foreign-case-slower',
      'a foreign case is refused 100 ms later than an unknown one',
      'D16.response-times',
      slower(true),
    ],
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

export const stateMutants: readonly Mutant[] = [...persistenceMutants, ...staleResponseMutants, ...overTimeMutants];
