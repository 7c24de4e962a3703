import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant, ProxiedRequest, ProxiedResponse, ServerBehind } from '../mutant.ts';
import { errorResponse, isOperation, isUpdate, jsonOf, withBody } from '../requests.ts';
import { type Entry, write } from '../store-effects.ts';
import { handlerMutants } from '../tampering.ts';

const settingUpdateMs = 3;
const isReading = (request: ProxiedRequest) => isOperation('getVerificationSetting', request);
const isCase = (request: ProxiedRequest) => isOperation('getCase', request);
const enabled = (value: boolean) => JSON.stringify({ enabled: value });

/** Breaks responses that are sent while an update is in flight. */
function meanwhile(
  condition: (request: ProxiedRequest) => boolean,
  edit: (response: ProxiedResponse) => ProxiedResponse,
): Mutant['start'] {
  return ({ forward }) => {
    let updating = 0;
    return async (request) => {
      if (isUpdate(request)) {
        updating += 1;
        const response = await forward(request);
        await sleep(settingUpdateMs);
        updating -= 1;
        return response;
      }
      const response = await forward(request);
      return updating > 0 && response.status === 200 && condition(request) ? edit(response) : response;
    };
  };
}

/** Treats updates differently that arrive while another one is in flight. */
function atOnce(second: (request: ProxiedRequest, server: ServerBehind) => Promise<ProxiedResponse>): Mutant['start'] {
  return (server) => {
    let updating = 0;
    return async (request) => {
      if (!isUpdate(request)) return server.forward(request);
      updating += 1;
      const isSecond = updating > 1;
      const response = await (isSecond ? second(request, server) : server.forward(request));
      await sleep(settingUpdateMs);
      updating -= 1;
      return response;
    };
  };
}

/** Saves the requested value, and then another one. */
const savingToo = (value: (asked: boolean) => boolean) =>
  atOnce(async (request, { forward }) => {
    const response = await forward(request);
    const asked = (jsonOf(request) as { enabled?: unknown } | null | undefined)?.enabled === true;
    if (response.status === 200) await forward(withBody(request, enabled(value(asked))));
    return response;
  });

const unavailable = (response: ProxiedResponse) => {
  const fault = errorResponse(response, 503, 'service.unavailable');
  fault.headers['retry-after'] = '1';
  return fault;
};

/** Concurrent requests that interfere with each other. */
export const concurrencyMutants = [
  ...handlerMutants([
    ['reading-unavailable-while-updating', 'a read during an update gets 503', meanwhile(isReading, unavailable)],
    [
      'reading-off-while-updating',
      'a read during an update returns false',
      meanwhile(isReading, (response) => ({ ...response, body: enabled(false) })),
    ],
    [
      'reading-on-while-updating',
      'a read during an update returns true',
      meanwhile(isReading, (response) => ({ ...response, body: enabled(true) })),
    ],
    [
      'reading-kept-from-an-update',
      'a read during an update is cached until the next update',
      ({ forward }) => {
        let updating = 0;
        let held: string | undefined;
        let kept: string | undefined;
        return async (request) => {
          if (isUpdate(request)) [updating, kept] = [updating + 1, undefined];
          const response = await forward(request);
          if (isReading(request) && response.status === 200) {
            if (updating > 0) kept ??= held;
            return { ...response, body: kept ?? response.body };
          }
          if (isUpdate(request)) {
            await sleep(settingUpdateMs);
            updating -= 1;
            if (response.status === 200) held = response.body;
          }
          return response;
        };
      },
    ],
    ['case-unavailable-while-updating', 'a read of a case during an update gets 503', meanwhile(isCase, unavailable)],
    [
      'case-without-files-while-updating',
      'a read of a case during an update returns no files',
      meanwhile(isCase, (response) => {
        const body = JSON.parse(response.body) as object;
        const pending = { file_analysis_status: 'waiting_for_file_analysis', file_analysis_completed_at: null };
        return { ...response, body: JSON.stringify({ ...body, ...pending, files: [], total_files: 0 }) };
      }),
    ],
    [
      'second-update-at-once-unavailable',
      'a concurrent update gets 503',
      atOnce(async (request, { forward }) => unavailable(await forward({ ...request, method: 'GET' }))),
    ],
    [
      'updates-at-once-share-a-response',
      'a concurrent update returns the opposite of its value',
      atOnce(async (request, { forward }) => {
        const response = await forward(request);
        return { ...response, body: enabled(!response.body.includes('true')) };
      }),
    ],
    ['updates-at-once-switch-off', 'concurrent updates switch the setting off', savingToo(() => false)],
    ['updates-at-once-switch-on', 'concurrent updates switch the setting on', savingToo(() => true)],
    ['updates-at-once-cancel-out', 'concurrent updates save the opposite', savingToo((asked) => !asked)],
    [
      'update-at-once-lost',
      'a concurrent update is not saved',
      atOnce(async (request, { forward }) => {
        const like = await forward({ ...request, method: 'GET' });
        return like.status === 200 ? { ...like, body: request.body.toString() } : like;
      }),
    ],
    [
      'audit-doubled-at-once',
      'a concurrent update has two audit entries',
      atOnce(async (request, { forward, database }) => {
        const response = await forward(request);
        const newest = database
          .prepare<[], Entry>("SELECT * FROM audit_entry WHERE action LIKE '%setting%' ORDER BY sequence DESC LIMIT 1")
          .get();
        if (response.status === 200 && newest) write(database, newest);
        return response;
      }),
    ],
  ]),
];
