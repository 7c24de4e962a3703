import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { expectResponse } from './expect.ts';
import { apiKey, enabledBody, readSetting, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting, leavingSettingAlone, save } from './setting.ts';

const forbidden = 'request.forbidden';
const notEnabled = 'request.organisations.feature-flag.not-enabled';

const refusedReads: [name: CredentialName, code: string | undefined, rules: string[]][] = [
  ['viewer_key', undefined, ['4.1-R2', '5-A2', '7.1-E403', 'D20']],
  ['viewer_key', forbidden, ['7.2-C3']],
  ['feature_off_key', notEnabled, ['4.1-R3', '7.1-E403', '7.2-C1']],
];

const refusedUpdates: [name: CredentialName, code: string | undefined, rules: string[]][] = [
  ['member_key', undefined, ['4.2-R2', '5-A2', '7.1-E403', 'D20']],
  ['viewer_key', undefined, ['4.2-R2', '5-A2', '7.1-E403', 'D20']],
  ['member_key', forbidden, ['7.2-C3']],
  ['feature_off_key', notEnabled, ['4.2-R3', '7.1-E403', '7.2-C1']],
];

export const settingChecks: readonly Check[] = [
  ...(['owner_key', 'member_key'] as const).map((name) =>
    ruleCheck({
      id: `4.1-O1.${name.replace('_', '-')}`,
      title: `${name} reads the setting`,
      rules: ['4.1-O1', '5-A2', 'D20'],
      needs: [name],
      run: async (context) => {
        await savedSetting(context, name);
      },
    }),
  ),
  ...refusedReads.map(([name, code, rules]) =>
    ruleCheck({
      id: `${rules[0] ?? ''}.${name.replaceAll('_', '-')}`,
      title: `${name} may not read the setting${code === undefined ? '' : ` (${code})`}`,
      rules,
      needs: [name],
      run: (context) => expectRefused(context, name, code, readSetting(apiKey(context.credential(name)))),
    }),
  ),
  ruleCheck({
    id: '4.2-P1.owner-key',
    title: 'owner_key may update the setting',
    rules: ['4.2-P1', '4.2-O1', '5-A2', 'D20'],
    needs: ['owner_key'],
    run: async (context) => {
      const saved = await savedSetting(context);
      await save(context, !saved);
      await save(context, saved);
    },
  }),
  ...refusedUpdates.flatMap(([name, code, rules]) =>
    [true, false].map((enabled) =>
      ruleCheck({
        id: `${rules[0] ?? ''}.${name.replaceAll('_', '-')}-${enabled ? 'on' : 'off'}`,
        title: `${name} may not switch the setting ${enabled ? 'on' : 'off'}${code === undefined ? '' : ` (${code})`}`,
        rules: [...rules, '3.1-S4'],
        needs: [name, 'owner_key'],
        run: (context) =>
          leavingSettingAlone(context, () =>
            expectRefused(context, name, code, updateSetting(enabledBody(enabled), apiKey(context.credential(name)))),
          ),
      }),
    ),
  ),
];

async function expectRefused(
  context: CheckContext,
  name: CredentialName,
  code: string | undefined,
  request: RequestSpec,
): Promise<void> {
  expectResponse(await context.call(request), `${name} sending ${request.method}`, 403, code);
}
