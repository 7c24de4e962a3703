import { demoIds } from '../../../src/demo/demo-data.ts';
import type { Fault, ProxiedAnswer, ProxiedRequest } from '../mutant.ts';
import { errorAnswer, isOperation, isUpdate, jsonOf } from '../requests.ts';
import { handlerFaults } from '../tamper.ts';

type Held = (answer: ProxiedAnswer, request: ProxiedRequest, before: boolean) => unknown;

const succeeds = (answer: ProxiedAnswer, request: ProxiedRequest) => isUpdate(request) && answer.status === 200;

/** Updates whose answer and audit entry are right, but after which another value is held than should be. */
export const persistenceFaults = [
  holding('update-not-saved', 'an update is answered, but not saved', (answer, request, before) =>
    succeeds(answer, request) ? before : undefined,
  ),
  holding('switching-on-not-saved', 'switching on is answered, but not saved', (answer, request, before) =>
    succeeds(answer, request) ? before && enabledOf(request) : undefined,
  ),
  holding('switching-off-not-saved', 'switching off is answered, but not saved', (answer, request, before) =>
    succeeds(answer, request) ? before || enabledOf(request) : undefined,
  ),
  holding('update-saves-true', 'every update saves true', (answer, request) =>
    succeeds(answer, request) ? true : undefined,
  ),
  holding('update-saves-opposite', 'every update saves the opposite', (answer, request) =>
    succeeds(answer, request) ? enabledOf(request) !== true : undefined,
  ),
  holding('update-toggles', 'an update to the value that is held undoes it', (answer, request, before) =>
    succeeds(answer, request) && enabledOf(request) === before ? !before : undefined,
  ),
  holding('read-flips', 'each reading flips the setting', (answer, request, before) =>
    isOperation('getVerificationSetting', request) && answer.status === 200 ? !before : undefined,
  ),
  holding('head-flips', 'each HEAD flips the setting', (answer, request, before) =>
    request.method === 'HEAD' && answer.status === 200 ? !before : undefined,
  ),
  holding('forbidden-update-saved', 'an update without permission is refused, but saved', refused(403)),
  holding('invalid-update-saved', 'an update with an extra field is refused, but saved', refused(400)),
  holding('unauthenticated-update-saved', 'an update without a valid key is refused, but saved', refused(401)),
  holding('too-large-update-saved', 'an update that is too large is refused, but saved', refused(413)),
  holding('unsupported-update-saved', 'an update of another media type is refused, but saved', refused(415)),
  holding('limited-update-saved', 'an update past the limit is refused, but saved', refused(429)),
  ...handlerFaults([
    [
      'repeated-update-refused',
      'an update to the value that is held is a conflict',
      ({ forward }) => {
        let last: string | undefined;
        return async (request) => {
          const answer = await forward(request);
          if (!succeeds(answer, request)) return answer;
          const repeated = last === answer.body;
          last = answer.body;
          return repeated ? errorAnswer(answer, 409, 'request.cases.case.already-locked') : answer;
        };
      },
    ],
  ]),
];

function enabledOf(request: ProxiedRequest): unknown {
  return (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled;
}

function refused(status: number): Held {
  return (answer, request) => (isUpdate(request) && answer.status === status ? enabledOf(request) : undefined);
}

/** After an answer the value that is held is another one, if it is a boolean. */
function holding(name: string, breaks: string, held: Held): Fault {
  const start: Fault['start'] = ({ forward, database }) => {
    const select = database
      .prepare<[string], number>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
      .pluck();
    const update = database.prepare('UPDATE organisation SET verification_enabled = ? WHERE organisation_id = ?');
    return async (request) => {
      const before = select.get(demoIds.organisation) === 1;
      const answer = await forward(request);
      const enabled = held(answer, request, before);
      if (typeof enabled === 'boolean') update.run(Number(enabled), demoIds.organisation);
      return answer;
    };
  };
  return { name, breaks, start };
}
