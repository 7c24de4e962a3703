/** What the checks of the rules send, and what they expect of a single response. */
import { parsed, told } from '../oracle/json.ts';
import type { CheckContext, HttpResponse, Operator, RequestSpec } from '../run/model.ts';

export type Header = readonly [name: string, value: string];

export const settingPath = '/organisations/features/verification';

/** A case identifier that no case has. */
export const unknownCaseId = '3f2b8c1e-7d64-4a90-b5ce-0d9a6e1f7c42';

export const apiKey = (key: string): Header => ['x-api-key', key];
export const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`];

export function readSetting(...headers: Header[]): RequestSpec {
  return { method: 'GET', path: settingPath, headers };
}

/** An update with this body as `application/json`. An empty string sends no body. */
export function updateSetting(body: string, ...headers: Header[]): RequestSpec {
  return { method: 'PUT', path: settingPath, headers: [['Content-Type', 'application/json'], ...headers], body };
}

export function readCase(id: string, ...headers: Header[]): RequestSpec {
  return { method: 'GET', path: `/cases/${id}`, headers };
}

export const enabledBody = (enabled: boolean) => JSON.stringify({ enabled });

/** The operator of a check that needs one. */
export function operatorOf({ operator }: Pick<CheckContext, 'operator'>): Operator {
  if (!operator) throw new Error('The check uses the operator without declaring that it needs one.');
  return operator;
}

/** @throws {Error} with the expected and the actual value. @param response shown in reports; by default the check's last */
export function expectThat(holds: boolean, promised: string, came: string, response?: object): void {
  if (!holds) throw new Error(`expected ${promised}, got ${came}`, { cause: response });
}

export function expectStatus(response: HttpResponse, who: string, status: number): void {
  expectThat(response.status === status, `${status} for ${who}`, String(response.status), response);
}

/** The setting, read with `owner_key` or another key. */
export async function savedSetting(context: CheckContext, key = context.credential('owner_key')): Promise<boolean> {
  const response = await context.call(readSetting(apiKey(key)));
  expectStatus(response, 'a key reading the setting', 200);
  return enabledOf(response);
}

/** Saves a value with `owner_key` or another key, and fails unless the response returns it. */
export async function save(
  context: CheckContext,
  enabled: boolean,
  key = context.credential('owner_key'),
): Promise<HttpResponse> {
  const response = await context.call(updateSetting(enabledBody(enabled), apiKey(key)));
  expectStatus(response, `a key saving ${enabled}`, 200);
  const came = enabledOf(response);
  expectThat(came === enabled, `the saved value ${enabled} in the response to the update`, String(came));
  return response;
}

function enabledOf({ text }: HttpResponse): boolean {
  const enabled = settingIn(parsed(text));
  if (enabled === undefined) throw new Error(`expected a boolean in enabled, got ${told(text)}`);
  return enabled;
}

/** The setting in a body; undefined if it is none. */
export function settingIn(body: unknown): boolean | undefined {
  const { enabled } = (body ?? {}) as { enabled?: unknown };
  return typeof enabled === 'boolean' ? enabled : undefined;
}
