import type { Answer, CheckContext, CredentialName } from '../run/model.ts';
import { expectAnswer, expectThat, objectOf, shown } from './expect.ts';
import { apiKey, enabledBody, type Header, readSetting, updateSetting } from './requests.ts';

/** The setting as this key, which may read it, sees it. */
export async function heldSetting(context: CheckContext, name: CredentialName = 'owner_key'): Promise<boolean> {
  const answer = await context.call(readSetting(apiKey(context.credential(name))));
  expectAnswer(answer, `${name} reading the setting`, 200);
  return enabledOf(answer, name);
}

/** Saves a value with `owner_key`, and fails unless the answer is that value. */
export async function save(context: CheckContext, enabled: boolean, ...headers: Header[]): Promise<Answer> {
  const key = apiKey(context.credential('owner_key'));
  const answer = await context.call(updateSetting(enabledBody(enabled), key, ...headers));
  expectAnswer(answer, `owner_key saving ${enabled}`, 200);
  const came = enabledOf(answer, 'owner_key');
  expectThat(came === enabled, `the saved value ${enabled} in the answer to the update`, String(came));
  return answer;
}

/** Does what must not change the setting, and fails if it does. */
export async function leavingSettingAlone(
  context: CheckContext,
  work: (held: boolean) => Promise<void>,
): Promise<void> {
  const held = await heldSetting(context);
  await work(held);
  const now = await heldSetting(context);
  expectThat(now === held, `the setting to stay ${held} after a refused update`, String(now));
}

function enabledOf(answer: Answer, who: string): boolean {
  const { enabled } = objectOf(answer, who);
  expectThat(typeof enabled === 'boolean', `true or false in enabled for ${who}`, shown(enabled));
  return enabled as boolean;
}
