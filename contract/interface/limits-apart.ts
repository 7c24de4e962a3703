import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { expectThat } from './expect.ts';
import { forwardingHeaders } from './forwarding-headers.ts';
import { apiKey, bearer, type Header, readCase, readSetting, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { statedLimit } from './stated-limit.ts';

const attempts = 4;
const others = 4;

const withKey = (name: CredentialName, ...headers: Header[]) => ({
  needs: [name],
  request: (context: CheckContext) => readSetting(apiKey(context.credential(name)), ...headers),
});
const withToken = (name: CredentialName) => ({
  needs: [name],
  request: (context: CheckContext) => readCase(unknownCaseId, bearer(context.credential(name))),
});

/** Pairs of credentials whose requests must not count against each other's limit. */
const pairs: [name: string, counted: ReturnType<typeof withKey>, other: ReturnType<typeof withKey>][] = [
  ['a-key-from-another-key', withKey('member_key'), withKey('owner_key')],
  ['a-key-from-a-forbidden-key', withKey('owner_key'), withKey('viewer_key')],
  ['a-key-from-a-token', withKey('owner_key'), withToken('access_token')],
  ['a-token-from-another-token', withToken('access_token'), withToken('other_access_token')],
];

/** Decision D31: which requests share a limit, observed in the remaining quota. */
export const limitsApartChecks: readonly Check[] = [
  ...pairs.map(([name, counted, other]) =>
    ruleCheck({
      id: `D31.apart-${name}`,
      title: `requests with one credential do not count towards another's limit: ${name.replaceAll('-', ' ')}`,
      rules: ['D31'],
      needs: [...counted.needs, ...other.needs],
      run: (context) =>
        inOneWindow(context, counted.request(context), 1, async () => {
          for (let sent = 0; sent < others; sent += 1) await context.call(other.request(context));
        }),
    }),
  ),
  ruleCheck({
    id: 'D31.apart-from-headers',
    title: 'requests with a key count towards one limit with any header that states a client address',
    rules: ['D31'],
    needs: ['owner_key'],
    run: (context) =>
      inOneWindow(
        context,
        readSetting(apiKey(context.credential('owner_key'))),
        1 + forwardingHeaders.length,
        async () => {
          for (const header of forwardingHeaders)
            await context.call(readSetting(apiKey(context.credential('owner_key')), header));
        },
      ),
  }),
];

/**
 * Sends a request, does the work, and sends the request again: the limit must have decreased by this number. Counts
 * again if the limit was renewed.
 */
async function inOneWindow(
  context: CheckContext,
  request: RequestSpec,
  taken: number,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const first = statedLimit(await context.call(request));
    await work();
    const second = statedLimit(await context.call(request));
    if (second.left === first.left - taken) return;
    const isRenewed = second.left >= first.left || second.seconds > first.seconds;
    expectThat(isRenewed && attempt < attempts, `r=${first.left - taken} after r=${first.left}`, `r=${second.left}`);
  }
}
