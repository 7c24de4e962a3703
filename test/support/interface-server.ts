import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject, parsed } from '../../contract/oracle/json.ts';
import type { Credentials } from '../../contract/run/model.ts';

export const interfaceCredentials: Omit<
  Required<Credentials>,
  'base_url' | 'case_base_url' | 'region' | 'connection' | 'spares'
> = {
  owner_key: 'key-of-the-owner-1f0c',
  member_key: 'key-of-a-member-2a7e',
  viewer_key: 'key-of-a-viewer-3b9d',
  revoked_key: 'key-that-was-revoked-4c',
  revoked_token: 'token-that-was-revoked-8a',
  revocable_key: 'key-that-may-be-revoked-2d',
  revocable_token: 'token-that-may-be-revoked-7e',
  expired_key: 'key-that-has-expired-9b',
  expired_token: 'token-that-has-expired-0c',
  feature_off_key: 'key-without-feature-5d',
  access_token: 'token-of-the-first-6e1a',
  other_owner_key: 'key-of-the-other-owner-4d1c',
  other_access_token: 'token-of-the-other-7f2b',
  case_id: '11111111-1111-4111-8111-111111111111',
  empty_case_id: '22222222-2222-4222-8222-222222222222',
  other_case_id: '33333333-3333-4333-8333-333333333333',
};

/** More than a run sends on purpose. A pause gives them anew, not a fixed time, in which a busy machine might send fewer. */
const [mostUpdates, pauseSeconds] = [1000, 3];
const c = interfaceCredentials;
const permissions: Record<string, string> = {
  [c.owner_key]: 'rw',
  [c.member_key]: 'r',
  [c.viewer_key]: '',
  [c.other_owner_key]: 'rw',
};
const time = '2026-01-05T08:00:00+01:00';

type Response = [status: number, body: object];

function error(status: number, code: string): Response {
  return [status, { error_code: code, error_message: `Sorry: ${code}` }];
}

function caseOf(id: string, files: object[]): object {
  const times = { locked_at: null, file_analysis_completed_at: null, created_at: time, updated_at: time };
  const state = { is_locked: true, file_analysis_status: 'waiting_for_file_analysis' };
  return { case_id: id, label: null, metadata: {}, files, total_files: files.length, ...state, ...times };
}

const file = { file_id: '44444444-4444-4444-8444-444444444444', label: 'a.pdf', analysis_status: 'in_some_queue' };

const cases: Record<string, Record<string, object>> = {
  [c.access_token]: { [c.case_id]: caseOf(c.case_id, [file]), [c.empty_case_id]: caseOf(c.empty_case_id, []) },
  [c.other_access_token]: { [c.other_case_id]: caseOf(c.other_case_id, []) },
};

/**
 * A server of another team: it keeps every rule of the interface document, and nothing that the OpenAPI document and the
 * decisions add. Its errors have other texts, its files fewer fields, and no response has a header of its own.
 */
export function interfaceHandler(): RequestListener {
  // Of each organisation.
  const enabled = { own: false, other: false };
  let limit = { updates: 0, lastAt: 0 };

  function setting(method: string, key: unknown, body: string): Response {
    const whose = key === c.other_owner_key ? 'other' : 'own';
    if (key === c.feature_off_key) return error(403, 'request.organisations.feature-flag.not-enabled');
    const held = typeof key === 'string' && Object.hasOwn(permissions, key) ? permissions[key] : undefined;
    if (held === undefined) return error(401, 'request.authentication.invalid-token');
    if (!held.includes(method === 'PUT' ? 'w' : 'r')) return error(403, 'request.forbidden');
    if (method === 'GET') return [200, { enabled: enabled[whose] }];
    if (Date.now() > limit.lastAt + pauseSeconds * 1000) limit.updates = 0;
    if (limit.updates >= mostUpdates) return error(429, 'slow.down');
    limit = { updates: limit.updates + 1, lastAt: Date.now() };
    const value = parsed(body);
    const given = isObject(value) ? value : {};
    const isUpdate = Object.keys(given).join() === 'enabled' && typeof given['enabled'] === 'boolean';
    if (!isUpdate) return error(400, 'bad.body');
    enabled[whose] = given['enabled'] === true;
    return [200, { enabled: enabled[whose] }];
  }

  function respondTo({ method = '', url = '', headers }: IncomingMessage, body: string): Response {
    const [path = ''] = url.split('?');
    if (path === '/organisations/features/verification' && (method === 'GET' || method === 'PUT'))
      return setting(method, headers['x-api-key'], body);
    const [, id] = /^\/cases\/([^/]+)$/.exec(path) ?? [];
    if (id === undefined || method !== 'GET') return error(404, 'nothing.here');
    const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    const readable = new Map(Object.entries(cases[token] ?? {}));
    if (readable.size === 0) return error(403, 'who.are.you');
    const found = readable.get(id);
    return found ? [200, found] : error(404, 'request.cases.case.not-found');
  }

  return (request, response) => {
    const respond = (body: string) => {
      const [status, content] = respondTo(request, body);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
    };
    // One that is broken off gets no response.
    text(request).then(respond, () => undefined);
  };
}
