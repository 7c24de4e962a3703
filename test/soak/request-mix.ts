import type { DemoData } from '../../src/demo/create-demo.ts';

/** A request of the steady load, and the one response that is right. */
export interface SoakRequest {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** What its body must contain. */
  readonly contains: string;
}

export const settingPath = '/organisations/features/verification';

/** Twenty requests: nine reads of the setting, six of a case, three updates, an update with a bad body, a bad key. */
export function requestMix(demo: DemoData): SoakRequest[] {
  const owner = { 'x-api-key': demo.owner_key };
  const read: SoakRequest = { method: 'GET', path: settingPath, headers: owner, status: 200, contains: '"enabled":' };
  const readCase: SoakRequest = {
    method: 'GET',
    path: `/cases/${demo.case_id}`,
    headers: { authorization: `Bearer ${demo.access_token}` },
    status: 200,
    contains: `"case_id":"${demo.case_id}"`,
  };
  const update = (enabled: boolean): SoakRequest => ({
    method: 'PUT',
    path: settingPath,
    headers: { ...owner, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled }),
    status: 200,
    contains: `{"enabled":${enabled}}`,
  });
  const badBody: SoakRequest = { ...update(true), body: '{"enabled":"yes"}', status: 400, contains: '"error_code":' };
  const badKey: SoakRequest = {
    ...read,
    headers: { 'x-api-key': demo.revoked_key },
    status: 401,
    contains: '"request.authentication.invalid-token"',
  };
  const quarter = [read, readCase, read, readCase];
  return [
    ...quarter,
    update(true),
    ...quarter,
    update(false),
    ...quarter,
    read,
    badBody,
    update(true),
    read,
    badKey,
    read,
  ];
}
