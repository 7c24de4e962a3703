import type { Mutant, ProxiedRequest, ProxiedResponse, ServerBehind } from '../mutant.ts';
import { enabledOf, errorResponse, isCase, isReading, isUpdate, settingOf, withBody } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const settingUpdateMs = 3;

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
    const asked = enabledOf(request) === true;
    if (response.status === 200) await forward(withBody(request, settingOf(value(asked))));
    return response;
  });

const unavailable = (response: ProxiedResponse) => {
  const fault = errorResponse(response, 503, 'service.unavailable');
  fault.headers['retry-after'] = '1';
  return fault;
};

/** Concurrent requests that interfere with each other. */
export const concurrencyMutants: readonly Mutant[] = [
  ...handlerMutants([
    [
      'reading-unavailable-while-updating',
      'a read during an update gets 503',
      'explored.*',
      meanwhile(isReading, unavailable),
    ],
    [
      'reading-off-while-updating',
      'a read during an update returns false',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      meanwhile(isReading, (response) => ({ ...response, body: settingOf(false) })),
    ],
    [
      'reading-on-while-updating',
      'a read during an update returns true',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      meanwhile(isReading, (response) => ({ ...response, body: settingOf(true) })),
    ],
    [
      'reading-kept-from-an-update',
      'a read during an update is cached until the next update',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
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
    [
      'case-unavailable-while-updating',
      'a read of a case during an update gets 503',
      'explored.*',
      meanwhile(isCase, unavailable),
    ],
    [
      'second-update-at-once-unavailable',
      'a concurrent update gets 503',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      atOnce(async (request, { forward }) => unavailable(await forward({ ...request, method: 'GET' }))),
    ],
    [
      'updates-at-once-switch-off',
      'concurrent updates switch the setting off',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      savingToo(() => false),
    ],
    [
      'updates-at-once-switch-on',
      'concurrent updates switch the setting on',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      savingToo(() => true),
    ],
    [
      'updates-at-once-cancel-out',
      'concurrent updates save the opposite',
      '4.2-R5.* generated.updateVerificationSetting.relation.saved conformance.getVerificationSetting.200.saved-value explored.*',
      savingToo((asked) => !asked),
    ],
    [
      'update-at-once-lost',
      'a concurrent update is not saved',
      '4.2-R5.at-once',
      atOnce(async (request, { forward }) => {
        const like = await forward({ ...request, method: 'GET' });
        return like.status === 200 ? { ...like, body: request.body.toString() } : like;
      }),
    ],
  ]),
];
