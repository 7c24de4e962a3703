/** Rate limits (section 8; D31, D32 and D186): what counts against which limit, when it ends, and what is refused beyond it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { longestWaitSeconds } from '../run/pacing.ts';
import { limitStatedBy, policyStatedBy } from '../run/pacing.ts';
import { leavingNoTrace } from './effects.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectStatus,
  expectThat,
  type Header,
  parsed,
  readCase,
  readSetting,
  ruleCheck,
  savedSetting,
  shown,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { errorFault } from './response-rules.ts';

/** Headers in which proxies state the caller's address, and in which any caller can state anything. */
const forwardingHeaders: readonly Header[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-For', '198.51.100.1, 203.0.113.8'],
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['X-Real-IP', '203.0.113.10'],
  ['X-Client-IP', '203.0.113.11'],
  ['True-Client-IP', '203.0.113.12'],
  ['CF-Connecting-IP', '203.0.113.13'],
];

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

/** Whose limit is used up, who has quota left, and what else is refused. */
const exhausted: readonly (readonly [
  id: string,
  title: string,
  spent: Caller,
  served: CredentialName,
  refused: (context: CheckContext) => RequestSpec[],
])[] = [
  ['D31.token', 'only the token that exceeded its quota gets 429', 'other_access_token', 'access_token', () => []],
  [
    'D31.key',
    'a key that exceeded its quota gets 429 before its permission and its body are checked',
    'viewer_key',
    'member_key',
    (context) => [enabledBody(true), '{'].map((body) => updateSetting(body, apiKey(context.credential('viewer_key')))),
  ],
  [
    'D31.address',
    'an address with too many failed authentications gets 429, but not for a valid credential',
    'made-up key',
    'member_key',
    (context) => [readSetting(), requestBy('made-up token', context)],
  ],
];

/** Longer than a second, so that a whole number of seconds decreases however it is rounded. */
const watchedSeconds = 1.05;
const shortestWindowSeconds = 4;
const attempts = 4;
const batch = 25;
const mostRequests = 2000;
const roomNeeded = 5;
/** One or two early refusals may have another reason, such as load. */
const refusalsTooEarly = 3;

export const limitChecks: readonly Check[] = [
  ...counts.map(([id, counted, others]) =>
    ruleCheck({
      id,
      title: `requests with ${counted} lower the remainder of their limit${others ? `, and those with ${others} do not` : ''}`,
      rules: ['D31', 'D32'],
      needs: needsOf(counted, ...(others ? [others] : [])),
      run: (context) => {
        const between = others ? Array<RequestSpec>(othersInBetween).fill(requestBy(others, context)) : [];
        return expectCounted(context, requestBy(counted, context), 1, between);
      },
    }),
  ),
  ruleCheck({
    id: 'D31.apart-from-headers',
    title: 'requests with a key count towards one limit with any header that states a client address',
    rules: ['D31'],
    needs: ['owner_key'],
    run: (context) => {
      const between = forwardingHeaders.map((header) => requestBy('owner_key', context, header));
      return expectCounted(context, requestBy('owner_key', context), 1 + between.length, between);
    },
  }),
  ruleCheck({
    id: 'D186.counts-down',
    title: 'the seconds until the limit resets decrease with time',
    rules: ['D186', 'D32'],
    needs: ['member_key'],
    readsOnly: true,
    run: async (context) => {
      const request = requestBy('member_key', context);
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
      const request = requestBy('access_token', context);
      await awaitRoom(context, request);
      for (let early = 1; ; early += 1) {
        const { refusal, left } = await useUp(context, request, true);
        if (!refusal) return;
        expectThat(early < refusalsTooEarly, `no 429 while r=${left}`, `${early} of them`);
        await sleep(1000 * Number(refusal.headers['retry-after'] ?? 1));
      }
    },
  }),
  ruleCheck({
    id: '8-L1.update',
    title: 'updates beyond the quota get 429 with the error object',
    rules: ['8-L1', '7.1-E429', '7-E1'],
    needs: ['exhausting-limits', 'owner_key'],
    usesUp: 'owner_key',
    run: async (context) => {
      // Earlier checks may have used the limit up.
      await awaitRoom(context, requestBy('owner_key', context));
      const update = updateSetting(enabledBody(await savedSetting(context)), apiKey(context.credential('owner_key')));
      await whileUsedUp(context, update, ({ text }) => {
        const fault = errorFault(parsed(text));
        expectThat(fault === undefined, 'the error object', fault ?? '');
        return Promise.resolve();
      });
    },
  }),
  ...exhausted.map(([id, title, spent, served, refused]) =>
    ruleCheck({
      id,
      title,
      rules: ['D31', 'D11'],
      needs: ['exhausting-limits', ...needsOf(spent, served)],
      usesUp: spent.startsWith('made-up') ? 'address' : (spent as CredentialName),
      run: async (context) => {
        const [request, other] = [requestBy(spent, context), requestBy(served, context)];
        await awaitRoom(context, other);
        const { status: usual } = await context.call(other);
        await whileUsedUp(context, request, async () => {
          const alike = forwardingHeaders.map((header) => requestBy(spent, context, header));
          for (const each of [request, { ...request, method: 'HEAD' }, ...alike, ...refused(context)])
            expectStatus(await context.call(each), `${each.method} ${each.path} with ${spent}`, 429);
          expectStatus(await context.call(other), `${served}, which has quota left`, usual);
          expectStatus(await context.call({ ...request, method: 'POST' }), 'an unknown method', 405);
          expectStatus(await context.call({ ...request, path: '/no-such-path' }), 'an unknown path', 404);
        });
      },
    }),
  ),
  ruleCheck({
    id: 'D26.429-owner-key',
    title: 'an update refused with 429 has no side effects',
    rules: ['D26'],
    needs: ['exhausting-limits', 'operator', 'owner_key', 'member_key'],
    usesUp: 'owner_key',
    run: async (context) => {
      await awaitRoom(context, requestBy('member_key', context));
      await whileUsedUp(context, requestBy('owner_key', context), () =>
        leavingNoTrace(context, async () => {
          const saved = await savedSetting(context, 'member_key');
          const change = updateSetting(enabledBody(!saved), apiKey(context.credential('owner_key')));
          expectStatus(await context.call(change), 'an update with owner_key', 429);
          const now = await savedSetting(context, 'member_key');
          expectThat(now === saved, `the setting to stay ${saved}`, String(now));
        }),
      );
    },
  }),
];

function needsOf(...callers: readonly Caller[]): CredentialName[] {
  return [...new Set(callers)].filter((caller): caller is CredentialName => !caller.startsWith('made-up'));
}

/** A read by a key, or of an unknown case by a token. */
function requestBy(caller: Caller, context: CheckContext, ...headers: Header[]): RequestSpec {
  const secret = caller.startsWith('made-up') ? 'made-up' : context.credential(caller as CredentialName);
  return caller.endsWith('token')
    ? readCase(unknownCaseId, bearer(secret), ...headers)
    : readSetting(apiKey(secret), ...headers);
}

/** The limit that a response states; fails if it states none. */
function statedLimit(response: HttpResponse): { left: number; seconds: number } {
  const stated = limitStatedBy(response);
  expectThat(stated !== undefined, 'the remainder of the limit in RateLimit', shown(response.headers['ratelimit']));
  return stated ?? { left: 0, seconds: 0 };
}

/**
 * Sends a request, others, and the request again: the limit must have decreased by this number. Counts
 * again if the limit was renewed.
 */
async function expectCounted(
  context: CheckContext,
  request: RequestSpec,
  taken: number,
  between: readonly RequestSpec[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const first = statedLimit(await context.call(request));
    for (const each of between) await context.call(each);
    const second = statedLimit(await context.call(request));
    if (second.left === first.left - taken) return;
    const isRenewed = second.left >= first.left || second.seconds > first.seconds;
    expectThat(isRenewed && attempt < attempts, `r=${first.left - taken} after r=${first.left}`, `r=${second.left}`);
  }
}

/**
 * Does the work while the limit of this request is used up, and retries it if the limit was renewed meanwhile. Later
 * checks wait until the limit is renewed, because the pacing has seen that it is used up.
 */
async function whileUsedUp(
  context: CheckContext,
  spending: RequestSpec,
  work: (refusal: HttpResponse) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { refusal } = await useUp(context, spending);
    if (!refusal) throw new Error(`expected 429 after at most ${mostRequests} requests, got none`);
    try {
      await work(refusal);
      return;
    } catch (error) {
      const { status } = await context.call(spending);
      if (status === 429 || attempt === attempts) throw error;
    }
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

/**
 * Sends the request until its limit refuses it, or states that nothing is left.
 * @returns the refusal, and how many requests were left before it
 */
async function useUp(
  context: CheckContext,
  request: RequestSpec,
  untilStated = false,
): Promise<{ refusal?: HttpResponse; left: number }> {
  let left = 1;
  for (let sent = 0; sent < mostRequests && !(untilStated && left === 0);) {
    const size = Math.max(1, Math.min(batch, left));
    const responses = await Promise.all(Array.from({ length: size }, () => context.call(request)));
    sent += size;
    const refusal = responses.find(({ status }) => status === 429);
    if (refusal) return { refusal, left };
    const wasUsedUp = left === 0;
    left = Math.min(
      ...responses.map((response) => (untilStated ? statedLimit(response) : limitStatedBy(response))?.left ?? batch),
    );
    expectThat(!wasUsedUp || left > 0, '429 once RateLimit states r=0', String(responses[0]?.status));
  }
  return { left };
}
