import type { RequestSpec } from '../run/model.ts';

export type Header = readonly [name: string, value: string];

export const settingPath = '/organisations/features/verification';
export const jsonType: Header = ['Content-Type', 'application/json'];

/** A case identifier that no case has. */
export const unknownCaseId = '3f2b8c1e-7d64-4a90-b5ce-0d9a6e1f7c42';

export function apiKey(key: string): Header {
  return ['x-api-key', key];
}

export function bearer(token: string): Header {
  return ['Authorization', `Bearer ${token}`];
}

/** Changes one character of a credential, in the middle by default, where no encoding has spare bits. */
export function altered(secret: string, at = Math.floor(secret.length / 2)): string {
  return `${secret.slice(0, at)}${secret[at] === 'a' ? 'b' : 'a'}${secret.slice(at + 1)}`;
}

export function readSetting(...headers: Header[]): RequestSpec {
  return { method: 'GET', path: settingPath, headers };
}

/** An update with this body as `application/json`. An empty string sends no body. */
export function updateSetting(body: string, ...headers: Header[]): RequestSpec {
  return { method: 'PUT', path: settingPath, headers: [jsonType, ...headers], body };
}

export function readCase(id: string, ...headers: Header[]): RequestSpec {
  return { method: 'GET', path: `/cases/${id}`, headers };
}

export function enabledBody(enabled: boolean): string {
  return JSON.stringify({ enabled });
}
