import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, CheckContext, HttpResponse, RequestSpec } from '../run/model.ts';
import { policyStatedBy } from '../run/rate-limit-fields.ts';
import { awaitRoom, whileUsedUp } from './exhausting.ts';
import { expectResponse, expectThat } from './expect.ts';
import { forwardingHeaders } from './forwarding-headers.ts';
import { apiKey, bearer, readCase, readSetting, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { statedLimit } from './stated-limit.ts';

/** Longer than a second, so that a whole number of seconds decreases however it is rounded. */
const watchedSeconds = 1.05;
const shortestWindowSeconds = 4;
const attempts = 4;
const batch = 25;

/** One or two early refusals may have another reason, such as load. */
const refusalsTooEarly = 3;

/** The windows of limits: their end (decision D186), their quota, and whose they are (D31). */
export const limitWindowChecks: readonly Check[] = [
  ruleCheck({
    id: 'D186.counts-down',
    title: 'the seconds until the limit resets decrease with time',
    rules: ['D186', 'D32'],
    needs: ['member_key'],
    readsOnly: true,
    run: async (context) => {
      const request = readSetting(apiKey(context.credential('member_key')));
      for (let attempt = 1; ; attempt += 1) {
        const response = await context.call(request);
        const first = statedLimit(response);
        if ((policyStatedBy(response)?.windowSeconds ?? 0) < shortestWindowSeconds) return;
        const began = performance.now();
        await sleep(watchedSeconds * 1000);
        const second = statedLimit(await context.call(request));
        const passed = Math.ceil((performance.now() - began) / 1000);
        const fallen = first.seconds - second.seconds;
        if (fallen >= 1 && fallen <= passed + 1) return;
        // The window may have ended meanwhile.
        const promised = `t to fall by 1 to ${passed + 1} within ${passed} s, from t=${first.seconds}`;
        expectThat(attempt < attempts, promised, `t=${second.seconds}`);
      }
    },
  }),
  ruleCheck({
    id: 'D31.whole-quota',
    title: 'no request gets 429 while RateLimit states that requests are left',
    rules: ['D31', 'D32'],
    needs: ['exhausting-limits', 'access_token'],
    usesUp: 'access_token',
    run: async (context) => {
      const request = readCase(unknownCaseId, bearer(context.credential('access_token')));
      await awaitRoom(context, request);
      for (let early = 1; ; early += 1) {
        const refusal = await refusedTooEarly(context, request);
        if (!refusal) return;
        expectThat(early < refusalsTooEarly, `no 429 while r=${refusal.left}`, `${early} of them`);
        await sleep(1000 * Number(refusal.response.headers['retry-after'] ?? 1));
      }
    },
  }),
  ruleCheck({
    id: 'D31.key-whatever-headers-say',
    title: 'a key that exceeded its quota gets 429 with any header that states a client address',
    rules: ['D31'],
    needs: ['exhausting-limits', 'viewer_key'],
    usesUp: 'viewer_key',
    run: async (context) => {
      const key = apiKey(context.credential('viewer_key'));
      await whileUsedUp(context, readSetting(key), async () => {
        for (const header of forwardingHeaders)
          expectResponse(await context.call(readSetting(key, header)), `viewer_key with ${header.join(': ')}`, 429);
      });
    },
  }),
  ruleCheck({
    id: 'D31.address-whatever-headers-say',
    title: 'an address with too many failed authentications gets 429 with any header that states a client address',
    rules: ['D31'],
    needs: ['exhausting-limits'],
    usesUp: 'address',
    run: async (context) => {
      const key = apiKey('made-up');
      await whileUsedUp(context, readSetting(key), async () => {
        for (const header of forwardingHeaders)
          expectResponse(await context.call(readSetting(key, header)), `an unknown key with ${header.join(': ')}`, 429);
      });
    },
  }),
];

/** Sends requests until the stated quota is used up. @returns an earlier refusal, with the quota that was left */
async function refusedTooEarly(
  context: CheckContext,
  request: RequestSpec,
): Promise<{ response: HttpResponse; left: number } | undefined> {
  for (let left = 1; left > 0;) {
    const size = Math.min(batch, left);
    const responses = await Promise.all(Array.from({ length: size }, () => context.call(request)));
    const response = responses.find(({ status }) => status === 429);
    if (response) return { response, left };
    left = Math.min(...responses.map((each) => statedLimit(each).left));
  }
  return undefined;
}
