import type { Mutant, ProxiedResponse, ProxiedRequest } from '../mutant.ts';
import { errorResponse, isOperation, isUpdate, jsonOf } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

type Held = (response: ProxiedResponse, request: ProxiedRequest, before: boolean) => unknown;

const succeeds = (response: ProxiedResponse, request: ProxiedRequest) => isUpdate(request) && response.status === 200;

/** Updates with the right response and audit entry that save the wrong value. */
export const persistenceMutants = [
  holding('update-not-saved', 'an update succeeds, but is not saved', (response, request, before) =>
    succeeds(response, request) ? before : undefined,
  ),
  holding('switching-on-not-saved', 'switching on succeeds, but is not saved', (response, request, before) =>
    succeeds(response, request) ? before && enabledOf(request) : undefined,
  ),
  holding('switching-off-not-saved', 'switching off succeeds, but is not saved', (response, request, before) =>
    succeeds(response, request) ? before || enabledOf(request) : undefined,
  ),
  holding('update-saves-true', 'every update saves true', (response, request) =>
    succeeds(response, request) ? true : undefined,
  ),
  holding('update-saves-opposite', 'every update saves the opposite', (response, request) =>
    succeeds(response, request) ? enabledOf(request) !== true : undefined,
  ),
  holding('update-toggles', 'an update to the saved value inverts it', (response, request, before) =>
    succeeds(response, request) && enabledOf(request) === before ? !before : undefined,
  ),
  holding('read-flips', 'each read inverts the setting', (response, request, before) =>
    isOperation('getVerificationSetting', request) && response.status === 200 ? !before : undefined,
  ),
  holding('head-flips', 'each HEAD inverts the setting', (response, request, before) =>
    request.method === 'HEAD' && response.status === 200 ? !before : undefined,
  ),
  holding('forbidden-update-saved', 'an update without permission is refused, but saved', refused(403)),
  holding('invalid-update-saved', 'an update with an extra field is refused, but saved', refused(400)),
  holding('unauthenticated-update-saved', 'an update without a valid key is refused, but saved', refused(401)),
  holding('too-large-update-saved', 'an update that is too large is refused, but saved', refused(413)),
  holding('unsupported-update-saved', 'an update of another media type is refused, but saved', refused(415)),
  holding('limited-update-saved', 'an update beyond the limit is refused, but saved', refused(429)),
  ...handlerMutants([
    [
      'repeated-update-refused',
      'an update to the saved value gets 409',
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

function enabledOf(request: ProxiedRequest): unknown {
  return (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled;
}

function refused(status: number): Held {
  return (response, request) => (isUpdate(request) && response.status === status ? enabledOf(request) : undefined);
}

/** Saves another value after a response, if `held` returns a boolean. */
function holding(name: string, breaks: string, held: Held): Mutant {
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
  return { name, breaks, start };
}
