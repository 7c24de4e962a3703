import type { Check, CheckContext, CredentialName } from '../run/model.ts';
import { isSameCase, readKnownCase } from './cases.ts';
import { expectThat } from './expect.ts';
import { altered, apiKey, enabledBody, type Header, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting, leavingSettingAlone, save } from './setting.ts';

const transitions: [id: string, title: string, rules: string[], before: boolean, after: boolean][] = [
  ['3.1-S1.off-to-on', 'off becomes on', ['3.1-S1', '4.2-O1', '4.1-O1'], false, true],
  ['3.1-S2.on-to-off', 'on becomes off', ['3.1-S2', '4.2-O1', '4.1-O1'], true, false],
  ['3.1-S3.on-again', 'on stays on when it is saved again', ['3.1-S3', '4.2-O1'], true, true],
  ['3.1-S3.off-again', 'off stays off when it is saved again', ['3.1-S3', '4.2-O1'], false, false],
];

const transitionChecks = transitions.map(([id, title, rules, before, after]) =>
  ruleCheck({
    id,
    title: `${title}, and later reads return the saved value`,
    rules,
    needs: ['owner_key'],
    run: async (context) => {
      await save(context, before);
      await expectHeld(context, before, 'owner_key');
      await save(context, after);
      for (let reading = 0; reading < 2; reading += 1) await expectHeld(context, after, 'owner_key');
    },
  }),
);

const strangers: [name: string, needs: CredentialName[], headers: (context: CheckContext) => Header[]][] = [
  ['no-credential', [], () => []],
  ['unknown-key', [], (context) => [apiKey(altered(context.credential('owner_key')))]],
  ...(['member_key', 'viewer_key', 'feature_off_key', 'revoked_key'] as const).map(
    (name): (typeof strangers)[number] => [
      name.replaceAll('_', '-'),
      [name],
      (context) => [apiKey(context.credential(name))],
    ],
  ),
];

const strangerChecks = strangers.map(([name, needs, headers]) =>
  ruleCheck({
    id: `3.1-S4.${name}`,
    title: `an update with ${name.replaceAll('-', ' ')} does not change the setting`,
    rules: ['3.1-S4'],
    needs: ['owner_key', ...needs],
    run: (context) =>
      leavingSettingAlone(context, async (saved) => {
        const { status } = await context.call(updateSetting(enabledBody(!saved), ...headers(context)));
        expectThat(status >= 400, `the update with ${name} to be refused`, String(status));
      }),
  }),
);

export const stateChecks: readonly Check[] = [
  ...transitionChecks,
  ruleCheck({
    id: '3.1-S1.for-the-organisation',
    title: 'a value that one key saves is read by another key of the organisation',
    rules: ['3.1-S1', '3.1-S2', 'D20'],
    needs: ['owner_key', 'member_key'],
    run: async (context) => {
      for (const enabled of [true, false, true]) {
        await save(context, enabled);
        await expectHeld(context, enabled, 'member_key');
      }
    },
  }),
  ...strangerChecks,
  ruleCheck({
    id: '3.1-S7.results-stay',
    title: 'changing the setting does not change a case and its files',
    rules: ['3.1-S7', 'D27'],
    needs: ['owner_key', 'access_token', 'case_id'],
    run: async (context) => {
      const known = { id: 'case_id', token: 'access_token' } as const;
      const before = await readKnownCase(context, known);
      const saved = await savedSetting(context);
      for (const enabled of [!saved, saved]) {
        await save(context, enabled);
        const after = await readKnownCase(context, known);
        expectThat(isSameCase(after, before), `the same case after saving ${enabled}`, 'another case');
      }
    },
  }),
];

async function expectHeld(context: CheckContext, enabled: boolean, name: 'owner_key' | 'member_key'): Promise<void> {
  const came = await savedSetting(context, name);
  expectThat(came === enabled, `${name} to read ${enabled} after owner_key saved it`, String(came));
}
