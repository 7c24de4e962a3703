/** Rate limits (section 8; D31 and D32): what counts against which limit, and what is refused beyond it. When it ends is watched. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inWays } from '../plan/asking.ts';
import { promisedChoices, randomOf, waysOf } from '../plan/rows.ts';
import { useUp } from '../plan/states.ts';
import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { told } from '../oracle/json.ts';
import { limitStatedBy, longestWaitSeconds } from '../run/limits.ts';
import { apiKey, bearer, expectThat, type Header } from './requests.ts';
import { readCase, readSetting, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rules.ts';

/** Headers in which proxies state the caller's address, and in which any caller can state anything. */
const forwardingHeaders: readonly Header[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['True-Client-IP', '203.0.113.12'],
];

/** So many ways have nearly each header that changes nothing in one of them. */
const mostWays = 10;

/** Who sends a request: its limit is that of the credential, or of the address if that is made up. */
type Caller = CredentialName | 'made-up key' | 'made-up token';

/** Requests that lower the remainder of their limit by one each, and others in between that must not. */
const counts: readonly (readonly [id: string, counted: Caller, others?: Caller])[] = [
  ['D32.a-key', 'owner_key'],
  ['D32.a-forbidden-key', 'viewer_key'],
  ['D32.a-token', 'access_token'],
  ['D32.a-failed-key', 'made-up key'],
  ['D32.a-failed-token', 'made-up token'],
  ['D31.kept-apart', 'made-up key', 'owner_key'],
  ['D31.apart-a-key-from-another-key', 'member_key', 'owner_key'],
  ['D31.apart-a-key-from-a-forbidden-key', 'owner_key', 'viewer_key'],
  ['D31.apart-a-key-from-a-token', 'owner_key', 'access_token'],
  ['D31.apart-a-token-from-another-token', 'access_token', 'other_access_token'],
];
const othersInBetween = 4;

const attempts = 4;
const roomNeeded = 5;
/** One or two early refusals may have another reason, such as load. */
const refusalsTooEarly = 3;

/** A check that requests count towards one limit. @param others those that are sent between two of the caller's own */
const countedTogether = (id: string, title: string, caller: Caller, others: (context: CheckContext) => RequestSpec[]) =>
  ruleCheck({
    ...{ id, title, rules: ['D31'], needs: needsOf(caller) },
    run: (context) => {
      const between = others(context);
      return expectCounted(context, requestBy(caller, context), 1 + between.length, between);
    },
  });

export const limitChecks: readonly Check[] = [
  ...counts.map(([id, counted, others]) => {
    const apart = others ? `, and those with ${others} do not` : '';
    return ruleCheck({
      id,
      title: `requests with ${counted} lower the remainder of their limit${apart}`,
      rules: ['D31', 'D32'],
      needs: needsOf(counted, others),
      run: async (context) => {
        const request = requestBy(counted, context);
        const between = others ? Array<RequestSpec>(othersInBetween).fill(requestBy(others, context)) : [];
        await expectCounted(context, request, 1, between);
        // An address has few failed authentications.
        if (isMadeUp(counted)) return;
        for (const ask of waysToAsk(context.seed)) await expectCounted(context, ask(request), 1, between.map(ask));
      },
    });
  }),
  countedTogether(
    'D31.apart-from-headers',
    'requests with a key count towards one limit, however they are asked',
    'owner_key',
    (context) => {
      const request = requestBy('owner_key', context);
      const refused = updateSetting('{', apiKey(context.credential('owner_key')));
      return [{ ...request, method: 'HEAD' }, refused, ...waysToAsk(context.seed).map((ask) => ask(request))];
    },
  ),
  countedTogether(
    'D31.failures-apart-from-headers',
    'failed authentications count towards one limit with any header that states a client address',
    'made-up key',
    (context) => forwardingHeaders.map((header) => requestBy('made-up key', context, header)),
  ),
  ruleCheck({
    id: 'D31.whole-quota',
    title: 'no request gets 429 while RateLimit states that requests are left',
    rules: ['D31', 'D32'],
    needs: ['exhausting-limits', 'access_token'],
    usesUp: 'access_token',
    run: async (context) => {
      const request = requestBy('access_token', context);
      await awaitRoom(context, request);
      const asked = waysToAsk(context.seed).map((ask) => ask(request));
      let sent = 0;
      const send = () => context.call(asked[(sent += 1) % asked.length] ?? request);
      for (let early = 1; ; early += 1) {
        const { refusal, left } = await useUp(send);
        if (!refusal) break;
        expectThat(early < refusalsTooEarly, `no 429 while r=${left}`, `${early} of them`);
        await sleep(1000 * Number(refusal.headers['retry-after'] ?? 1));
      }
    },
  }),
];

function isMadeUp(caller: Caller): boolean {
  return caller.startsWith('made-up');
}

function needsOf(...callers: (Caller | undefined)[]): CredentialName[] {
  return callers.filter((caller) => caller !== undefined && !isMadeUp(caller)) as CredentialName[];
}

/** Ways to ask, each with a choice of every dimension that changes nothing. */
function waysToAsk(seed: number): ((request: RequestSpec) => RequestSpec)[] {
  // The others send further requests.
  const dimensions = promisedChoices(() => true);
  return waysOf(dimensions, randomOf(seed), mostWays, 1).map(
    (row) => (request) => inWays(request, row, undefined).request,
  );
}

function requestBy(caller: Caller, context: CheckContext, ...headers: Header[]): RequestSpec {
  const secret = isMadeUp(caller) ? 'made-up' : context.credential(caller as CredentialName);
  if (caller.endsWith('token')) return readCase(unknownCaseId, bearer(secret), ...headers);
  return readSetting(apiKey(secret), ...headers);
}

/** The limit that a response states; fails if it states none. */
function statedLimit(response: HttpResponse): { left: number; seconds: number } {
  const stated = limitStatedBy(response);
  expectThat(stated !== undefined, 'the remainder of the limit in RateLimit', told(response.headers['ratelimit']));
  return stated ?? { left: 0, seconds: 0 };
}

/** Sends a request, others, and it again: so much must be taken from the limit. Counts again if that was renewed. */
async function expectCounted(context: CheckContext, request: RequestSpec, taken: number, between: RequestSpec[]) {
  for (let attempt = 1; ; attempt += 1) {
    const first = statedLimit(await context.call(request));
    for (const each of between) await context.call(each);
    const second = statedLimit(await context.call(request));
    if (second.left === first.left - taken) return;
    const isRenewed = second.left >= first.left || second.seconds > first.seconds;
    expectThat(isRenewed && attempt < attempts, `r=${first.left - taken} after r=${first.left}`, `r=${second.left}`);
  }
}

/** Waits until a few more requests of this kind are allowed by their limit. */
async function awaitRoom(context: CheckContext, request: RequestSpec): Promise<void> {
  for (let waited = 0; waited < longestWaitSeconds; waited += 1) {
    const response = await context.call(request);
    const limit = limitStatedBy(response);
    if (limit ? limit.left >= roomNeeded : response.status !== 429) return;
    await sleep(1000);
  }
}
