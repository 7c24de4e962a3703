/**
 * Authorisation rules, combined with additions to the request, from the first request to the hundredth: a rule must not
 * hold only for plain requests.
 */
import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { additions, type Crossing, overrides, secondCredentials } from './crossings.ts';
import { expectResponse } from './expect.ts';
import { apiKey, bearer, enabledBody, readCase, readSetting, settingPath, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { leavingSettingAlone } from './setting.ts';

const hundred = 101;

/** A request that must be refused. */
interface Refused {
  /** The rule that refuses it. */
  readonly rule: string;
  readonly who: string;
  readonly needs: readonly CredentialName[];
  readonly status: number;
  readonly code: string;
  /** How many requests to send; by default one for each crossing. */
  readonly times?: number;
  /** @param enabled the value that would change the setting */
  readonly request: (context: CheckContext, enabled: boolean) => RequestSpec;
}

const forbidden = 'request.forbidden';
const notEnabled = 'request.organisations.feature-flag.not-enabled';

const reading =
  (name: 'viewer_key' | 'feature_off_key'): Refused['request'] =>
  (context) =>
    readSetting(apiKey(context.credential(name)));
const updating =
  (name: 'member_key' | 'viewer_key' | 'feature_off_key'): Refused['request'] =>
  (context, enabled) =>
    updateSetting(enabledBody(enabled), apiKey(context.credential(name)));

const refusals: readonly Refused[] = [
  {
    rule: '4.1-R2',
    who: 'viewer-key-reading',
    needs: ['viewer_key'],
    status: 403,
    code: forbidden,
    times: hundred,
    request: reading('viewer_key'),
  },
  {
    rule: '4.2-R2',
    who: 'viewer-key-updating',
    needs: ['viewer_key'],
    status: 403,
    code: forbidden,
    request: updating('viewer_key'),
  },
  {
    rule: '4.2-R2',
    who: 'member-key-updating',
    needs: ['member_key'],
    status: 403,
    code: forbidden,
    times: hundred,
    request: updating('member_key'),
  },
  {
    rule: '4.1-R3',
    who: 'feature-off-key-reading',
    needs: ['feature_off_key'],
    status: 403,
    code: notEnabled,
    request: reading('feature_off_key'),
  },
  {
    rule: '4.2-R3',
    who: 'feature-off-key-updating',
    needs: ['feature_off_key'],
    status: 403,
    code: notEnabled,
    times: hundred,
    request: updating('feature_off_key'),
  },
  {
    rule: 'D21',
    who: 'other-access-token-reading',
    needs: ['other_access_token', 'case_id'],
    status: 404,
    code: 'request.cases.case.not-found',
    times: hundred,
    request: (context) => readCase(context.credential('case_id'), bearer(context.credential('other_access_token'))),
  },
  {
    rule: 'D17',
    who: 'owner-key-deleting',
    needs: ['owner_key'],
    status: 405,
    code: 'request.method-not-allowed',
    request: (context) => ({
      method: 'DELETE',
      path: settingPath,
      headers: [apiKey(context.credential('owner_key'))],
    }),
  },
  {
    rule: 'D17',
    who: 'owner-key-at-a-path-in-capitals',
    needs: ['owner_key'],
    status: 404,
    code: 'request.not-found',
    request: (context, enabled) => ({
      ...updateSetting(enabledBody(enabled), apiKey(context.credential('owner_key'))),
      path: settingPath.replace('verification', 'Verification'),
    }),
  },
];

/** Path spellings that no caller can use instead of a documented path (decision D17). */
const spellings: readonly Crossing[] = [
  ['percent-encoded', settingPath.replace('verification', '%76erification')],
  ['percent-encoded in the first part', settingPath.replace('organisations', 'organisation%73')],
  ['in capitals', settingPath.toUpperCase()],
  ['with two slashes', `/${settingPath}`],
  ['with a slash at the end', `${settingPath}/`],
  ['with a dot', settingPath.replace('/features', '/./features')],
].map(([name = '', path = '']) => ({ name: `at its path ${name}`, cross: (request) => ({ ...request, path }) }));

export const crossedRefusalChecks: readonly Check[] = [
  ...refusals.map((refused) => crossedCheck(refused, refused.rule, 'crossed', additions, refused.times)),
  ...refusals.map((refused) => crossedCheck(refused, 'D17', 'override', overrides)),
  ...refusals.map((refused) => crossedCheck(refused, 'D22', 'second-credential', secondCredentials)),
  ...refusals
    .filter(({ rule }) => /^4/.test(rule))
    .map((refused) =>
      crossedCheck({ ...refused, status: 404, code: 'request.not-found' }, 'D17', 'spelling', spellings),
    ),
];

function crossedCheck(
  refused: Refused,
  rule: string,
  kind: string,
  crossings: readonly Crossing[],
  times?: number,
): Check {
  const { who, needs, status, code, request } = refused;
  const count = Math.max(times ?? 0, crossings.length);
  const isUpdate = who.endsWith('updating') || who.includes('capitals');
  return ruleCheck({
    id: `${rule}.${kind}-${who}`,
    title: `${who.replaceAll('-', ' ')} is refused with ${status}, ${count} times, with any additional input (${kind.replace('-', ' ')})`,
    rules: [rule],
    needs: [
      ...new Set([
        ...needs,
        ...crossings.flatMap((each) => each.needs ?? []),
        ...(isUpdate ? ['member_key' as const] : []),
      ]),
    ],
    readsOnly: !isUpdate && !who.endsWith('deleting'),
    run: async (context) => {
      const send = async (enabled: boolean) => {
        for (let sent = 0; sent < count; sent += 1) {
          const { name = '', cross } = crossings[sent % crossings.length] ?? {};
          const plain = request(context, enabled);
          const response = await context.call(cross?.(plain, context) ?? plain);
          expectResponse(
            response,
            `${who.replaceAll('-', ' ')} ${name} (request ${sent + 1} of ${count})`,
            status,
            code,
          );
        }
      };
      if (isUpdate) await leavingSettingAlone(context, (saved) => send(!saved), 'member_key');
      else await send(true);
    },
  });
}
