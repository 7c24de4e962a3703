/** Rate limits (section 8; D31 and D32): each request counts against one limit, which falls by one with it. When it ends is watched. */
import { told } from '../oracle/json.ts';
import { inWays } from '../plan/asking.ts';
import { promisedChoices, randomOf, waysOf } from '../plan/rows.ts';
import { awaitRenewal, useUp } from '../plan/states.ts';
import { limitStatedBy, toleratedMilliseconds } from '../run/limits.ts';
import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectThat,
  type Header,
  readCase,
  readSetting,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rules.ts';

/** Headers in which proxies state the caller's address, and in which any caller can state anything. */
const forwardingHeaders: readonly Header[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['True-Client-IP', '203.0.113.12'],
];

const callers = ['owner_key', 'member_key', 'viewer_key', 'access_token', 'other_access_token'] as const;

/** So many ways have nearly each header that changes nothing in one of them. */
const mostWays = 10;

/** One or two early refusals may have another reason, such as load. */
const refusalsTooEarly = 3;

export const limitChecks: readonly Check[] = [
  ruleCheck({
    id: 'D31.kept-apart',
    title:
      'each request lowers the remainder of one limit by one: that of its credential, or of the address if that fails',
    rules: ['D31', 'D32'],
    needs: ['owner_key'],
    run: async (context) => {
      const last = new Map<string, { left: number; seconds: number; at: number }>();
      for (const [limit, request] of requestsOfAll(context)) {
        const response = await context.call(request);
        const stated = limitStatedBy(response);
        if (!stated)
          throw new Error(
            `expected the remainder of the limit in RateLimit, got ${told(response.headers['ratelimit'])}`,
          );
        const [before, at] = [last.get(limit), performance.now()];
        last.set(limit, { ...stated, at });
        if (!before || stated.left === before.left - 1) continue;
        const mayBeRenewed = at >= before.at + (before.seconds - 1) * 1000 - toleratedMilliseconds;
        const isRight = mayBeRenewed && stated.left >= before.left;
        expectThat(isRight, `r=${before.left - 1} after r=${before.left} for ${limit}`, `r=${stated.left}`, response);
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
      const asked = waysToAsk(context.seed).map((ask) => ask(request));
      let sent = 0;
      const send = () => context.call(asked[(sent += 1) % asked.length] ?? request);
      for (let early = 1; ; early += 1) {
        const { refusal, left } = await useUp(send);
        if (!refusal) break;
        expectThat(early < refusalsTooEarly, `no 429 while r=${left}`, `${early} of them`);
        await awaitRenewal(refusal);
      }
    },
  }),
];

/** Requests of every caller in turn, asked in every way, with the name of the limit that each counts against. */
function requestsOfAll(context: CheckContext): (readonly [limit: string, request: RequestSpec])[] {
  const known = callers.filter((name) => typeof context.credentials[name] === 'string');
  const inTurn = (ask: (request: RequestSpec) => RequestSpec) =>
    known.map((name) => [name, ask(requestBy(name, context))] as const);
  const plainly = [
    ...inTurn((request) => request),
    ...inTurn((request) => ({ ...request, method: 'HEAD' })),
    ...['{', enabledBody(true), enabledBody(true)].map(
      (body) => ['owner_key', updateSetting(body, apiKey(String(context.credentials.owner_key)))] as const,
    ),
    ...[
      readSetting(apiKey('made-up')),
      { ...readSetting(apiKey('made-up')), method: 'HEAD' },
      updateSetting('{', apiKey('made-up')),
      readCase(unknownCaseId, bearer('made-up')),
      readSetting(apiKey(context.credentials.revoked_key ?? 'made-up')),
    ].map((request) => ['failed authentications', request] as const),
  ];
  return [
    ...plainly,
    ...waysToAsk(context.seed).flatMap(inTurn),
    ...forwardingHeaders.map((header) => ['failed authentications', readSetting(apiKey('made-up'), header)] as const),
    ...plainly,
  ];
}

function requestBy(caller: CredentialName, { credentials }: CheckContext): RequestSpec {
  const secret = String(credentials[caller]);
  return caller.endsWith('token') ? readCase(unknownCaseId, bearer(secret)) : readSetting(apiKey(secret));
}

/** Ways to ask, each with a choice of every dimension that changes nothing. */
function waysToAsk(seed: number): ((request: RequestSpec) => RequestSpec)[] {
  // The others send further requests.
  const dimensions = promisedChoices(() => true);
  return waysOf(dimensions, randomOf(seed), mostWays, 1).map(
    (row) => (request) => inWays(request, row, undefined).request,
  );
}
