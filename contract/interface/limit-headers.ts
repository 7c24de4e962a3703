import type { HttpResponse, Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { limitStatedBy, policyStatedBy } from '../run/rate-limit-fields.ts';
import { expectThat, shown } from './expect.ts';
import { apiKey, bearer, readCase, readSetting, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const attempts = 4;

const counted: [
  name: string,
  limit: string,
  needs: CredentialName[],
  request: (context: CheckContext) => RequestSpec,
][] = [
  ['a-key', 'credential', ['owner_key'], (context) => readSetting(apiKey(context.credential('owner_key')))],
  ['a-forbidden-key', 'credential', ['viewer_key'], (context) => readSetting(apiKey(context.credential('viewer_key')))],
  [
    'a-token',
    'credential',
    ['access_token'],
    (context) => readCase(unknownCaseId, bearer(context.credential('access_token'))),
  ],
  ['a-failed-key', 'failed-authentication', [], () => readSetting(apiKey('made-up'))],
  ['a-failed-token', 'failed-authentication', [], () => readCase(unknownCaseId, bearer('made-up'))],
];

/** Decisions D31 and D32, as far as they can be checked without using up a limit. */
export const limitHeaderChecks: readonly Check[] = [
  ...counted.map(([name, limit, needs, request]) =>
    ruleCheck({
      id: `D32.${name}`,
      title: `the headers state the limit for ${name.replaceAll('-', ' ')}, and each request lowers the remainder`,
      rules: ['D31', 'D32'],
      needs,
      run: async (context) => {
        await withinOneWindow(async () => {
          const first = stated(await context.call(request(context)), limit);
          const second = stated(await context.call(request(context)), limit);
          return { first, second, promised: first - 1 };
        });
      },
    }),
  ),
  ruleCheck({
    id: 'D31.kept-apart',
    title: 'requests with a valid key do not count as failed authentications',
    rules: ['D31'],
    needs: ['owner_key'],
    run: async (context) => {
      const failing = readSetting(apiKey('made-up'));
      await withinOneWindow(async () => {
        const first = stated(await context.call(failing), 'failed-authentication');
        for (let sent = 0; sent < 3; sent += 1)
          await context.call(readSetting(apiKey(context.credential('owner_key'))));
        const second = stated(await context.call(failing), 'failed-authentication');
        return { first, second, promised: first - 1 };
      });
    },
  }),
];

/** Counts again if the limit was renewed meanwhile. */
async function withinOneWindow(
  count: () => Promise<{ first: number; second: number; promised: number }>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { first, second, promised } = await count();
    if (second === promised) return;
    const renewed = second > first;
    expectThat(renewed && attempt < attempts, `r=${promised} after r=${first}`, `r=${second}`);
  }
}

/** The remaining quota, if both headers describe this limit consistently. */
function stated(response: HttpResponse, limit: string): number {
  const { 'ratelimit-policy': policy = '', ratelimit } = response.headers;
  const promised = policyStatedBy(response);
  expectThat(promised?.name === limit, `the limit "${limit}" in RateLimit-Policy`, shown(policy));
  const { quota = 0, windowSeconds = 0 } = promised ?? {};
  const state = limitStatedBy(response);
  const agrees = state?.name === limit && state.left < quota && state.seconds <= windowSeconds;
  expectThat(agrees, `RateLimit within ${policy}`, shown(ratelimit));
  return state?.left ?? 0;
}
