import type { HttpResponse, CheckContext, CredentialName } from '../run/model.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import { apiKey, enabledBody, type Header, readSetting, updateSetting } from './requests.ts';

/** The setting, read with this key, which needs the permission to read it. */
export async function savedSetting(context: CheckContext, name: CredentialName = 'owner_key'): Promise<boolean> {
  const response = await context.call(readSetting(apiKey(context.credential(name))));
  expectResponse(response, `${name} reading the setting`, 200);
  return enabledOf(response, name);
}

/** Saves a value with `owner_key`, and fails unless the response returns it. */
export async function save(context: CheckContext, enabled: boolean, ...headers: Header[]): Promise<HttpResponse> {
  const key = apiKey(context.credential('owner_key'));
  const response = await context.call(updateSetting(enabledBody(enabled), key, ...headers));
  expectResponse(response, `owner_key saving ${enabled}`, 200);
  const came = enabledOf(response, 'owner_key');
  expectThat(came === enabled, `the saved value ${enabled} in the response to the update`, String(came));
  return response;
}

/**
 * Does work that must not change the setting, and fails if it does. @param name the key that reads it before and after
 */
export async function leavingSettingAlone(
  context: CheckContext,
  work: (saved: boolean) => Promise<void>,
  name: CredentialName = 'owner_key',
): Promise<void> {
  const saved = await savedSetting(context, name);
  await work(saved);
  const now = await savedSetting(context, name);
  expectThat(now === saved, `the setting to stay ${saved} after a refused update`, String(now));
}

function enabledOf(response: HttpResponse, who: string): boolean {
  const { enabled } = objectOf(response, who);
  expectThat(typeof enabled === 'boolean', `a boolean in enabled for ${who}`, shown(enabled));
  return enabled as boolean;
}
