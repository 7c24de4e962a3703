import type { Handler } from '../mutant.ts';
import { isOperation, isUpdate, jsonOf, secretOf } from '../requests.ts';
import { bodyFaults, handlerFaults, set } from '../tamper.ts';

const read = 'getVerificationSetting 200';
const update = 'updateVerificationSetting 200';

/** Answers that do not tell what is held. */
export const staleAnswerFaults = [
  ...bodyFaults([
    [
      'update-answers-opposite',
      'an update answers the opposite',
      update,
      (body) => ({ enabled: body.enabled !== true }),
    ],
    ['update-answers-true', 'every update answers true', update, set({ enabled: true })],
    ['read-answers-false', 'every reading answers false', read, set({ enabled: false })],
    ['read-answers-true', 'every reading answers true', read, set({ enabled: true })],
    ['read-inverted', 'every reading answers the opposite', read, (body) => ({ enabled: body.enabled !== true })],
  ]),
  ...handlerFaults([
    [
      'update-answers-old-value',
      'an update answers what was held before',
      ({ forward }) => {
        let held = '{"enabled":false}';
        return async (request) => {
          const answer = await forward(request);
          if (isUpdate(request) && answer.status === 200) [answer.body, held] = [held, answer.body];
          return answer;
        };
      },
    ],
    [
      'read-cached-for-ever',
      'the first reading is answered for ever',
      ({ forward }) => remembering(forward, () => false),
    ],
    [
      'read-cached-while-off',
      'a cached reading outlives switching off',
      ({ forward }) =>
        remembering(
          forward,
          (request) =>
            isUpdate(request) && (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled === true,
        ),
    ],
    [
      'read-cached-for-each-key',
      'a reading is cached for each key and outlives the update with another',
      ({ forward, credentials }) =>
        remembering(
          forward,
          () => false,
          (request) => secretOf(request) === credentials.member_key,
        ),
    ],
    [
      'read-one-update-late',
      'readings answer what was held before the last update',
      ({ forward }) => late(forward, () => false),
    ],
    [
      'read-a-second-late',
      'an update is seen a second later',
      ({ forward }) => late(forward, (since) => Date.now() - since > 1000),
    ],
    [
      'case-cached-for-all',
      'the case that was read first is answered whichever is asked for',
      ({ forward }) => {
        let first: string | undefined;
        return async (request) => {
          const answer = await forward(request);
          if (isOperation('getCase', request) && answer.status === 200) answer.body = first ??= answer.body;
          return answer;
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
    const answer = await forward(request);
    if (forgets(request)) first = undefined;
    if (isOperation('getVerificationSetting', request) && answer.status === 200 && remembers(request))
      answer.body = first ??= answer.body;
    return answer;
  };
}

/** Readings after an update answer what was held before it, until that is over. */
function late(forward: Handler, isOver: (since: number) => boolean): Handler {
  let held = '{"enabled":false}';
  let before = held;
  let since = 0;
  return async (request) => {
    const answer = await forward(request);
    if (answer.status !== 200) return answer;
    if (isUpdate(request)) [before, held, since] = [held, answer.body, Date.now()];
    else if (isOperation('getVerificationSetting', request) && !isOver(since)) answer.body = before;
    return answer;
  };
}
