import { stablePartsOf } from './stable-parts.ts';
import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { expectThat, shownApart } from './expect.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  readCase,
  readSetting,
  settingPath,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { save, savedSetting } from './setting.ts';

const needs = ['owner_key', 'member_key', 'viewer_key', 'access_token', 'case_id'] as const;
const many = 100;
const atOnce = 5;

/** Requests of every kind that change nothing, spread over the credentials, with no failed authentication. */
const kinds: readonly ((context: CheckContext) => RequestSpec)[] = [
  (context) => readSetting(key(context, 'owner_key')),
  (context) => readSetting(key(context, 'viewer_key')),
  (context) => updateSetting('{"enabled":"true"}', key(context, 'owner_key')),
  (context) => updateSetting(enabledBody(true), key(context, 'member_key')),
  (context) => ({ method: 'HEAD', path: settingPath, headers: [key(context, 'member_key')] }),
  (context) => ({ method: 'DELETE', path: settingPath, headers: [key(context, 'member_key')] }),
  (context) => readCase(context.credential('case_id'), token(context)),
  (context) => readCase(unknownCaseId, token(context)),
  () => ({ method: 'GET', path: '/no-such-path' }),
  (context) => ({ ...readCase(context.credential('case_id'), token(context)), method: 'HEAD' }),
];

/** The requests to compare: one for each kind of response. */
const compared: readonly [name: string, request: (context: CheckContext) => RequestSpec][] = [
  ['owner_key reading the setting', (context) => readSetting(key(context, 'owner_key'))],
  ['member_key reading the setting', (context) => readSetting(key(context, 'member_key'))],
  ['viewer_key reading the setting', (context) => readSetting(key(context, 'viewer_key'))],
  ['member_key updating the setting', (context) => updateSetting(enabledBody(true), key(context, 'member_key'))],
  ['an invalid update', (context) => updateSetting('{}', key(context, 'owner_key'))],
  ['access_token reading case_id', (context) => readCase(context.credential('case_id'), token(context))],
  ['access_token reading an unknown case', (context) => readCase(unknownCaseId, token(context))],
  ['an unknown path', () => ({ method: 'GET', path: '/no-such-path' })],
  ['an unknown method', (context) => ({ method: 'POST', path: settingPath, headers: [key(context, 'owner_key')] })],
];

/** Checks that many requests change neither the setting (section 3.1) nor any response (decision D185). */
export const afterManyRequestsChecks: readonly Check[] = [
  ruleCheck({
    id: '3.1-S1.stays-on',
    title: `the setting stays on through ${many} other requests`,
    rules: ['3.1-S1', '4.1-O1'],
    needs,
    run: async (context) => {
      await save(context, true);
      await sendMany(context);
      for (const name of ['owner_key', 'member_key'] as const) {
        const now = await savedSetting(context, name);
        expectThat(now, `true for ${name} after ${many} requests without an update`, String(now));
      }
    },
  }),
  ruleCheck({
    id: 'D185.after-many-requests',
    title: `the same requests get the same responses before and after ${many} others`,
    rules: ['D185'],
    needs,
    run: async (context) => {
      await save(context, false);
      const before = await responsesTo(context);
      const again = await responsesTo(context);
      await sendMany(context);
      const after = await responsesTo(context);
      compared.forEach(([name], index) => {
        const [first, second, third] = [before, again, after].map((all) => all[index] ?? {});
        for (const [part, value] of Object.entries(first ?? {})) {
          // A part that differs between two consecutive requests varies for another reason.
          if (second?.[part] !== value || third?.[part] === value) continue;
          const [promised, found] = shownApart(value, third?.[part]);
          expectThat(false, `the same ${part} for ${name} after ${many} other requests: ${promised}`, found);
        }
      });
    },
  }),
];

async function responsesTo(context: CheckContext): Promise<Record<string, string | undefined>[]> {
  const responses: Record<string, string | undefined>[] = [];
  for (const [, request] of compared) responses.push(stablePartsOf(await context.call(request(context))));
  return responses;
}

async function sendMany(context: CheckContext): Promise<void> {
  for (let sent = 0; sent < many; sent += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, async (_none, index) => {
        const kind = kinds[(sent + index) % kinds.length];
        if (kind) await context.call(kind(context));
      }),
    );
}

function key(context: CheckContext, name: CredentialName) {
  return apiKey(context.credential(name));
}

function token(context: CheckContext) {
  return bearer(context.credential('access_token'));
}
