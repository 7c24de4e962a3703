import type { Check, CheckContext, CredentialName } from '../run/model.ts';
import { leavingNoTrace } from './audit.ts';
import { expectResponse } from './expect.ts';
import { apiKey, enabledBody, type Header, jsonType, settingPath } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { leavingSettingAlone } from './setting.ts';

interface RefusedUpdate {
  readonly name: string;
  readonly status: number;
  readonly key?: CredentialName;
  readonly type?: Header;
  readonly body?: (enabled: boolean) => string;
}

const refusedUpdates: readonly RefusedUpdate[] = [
  {
    name: 'extra-field',
    status: 400,
    key: 'owner_key',
    body: (enabled) => JSON.stringify({ enabled, extra: 1 }),
  },
  { name: 'text', status: 400, key: 'owner_key', body: (enabled) => JSON.stringify({ enabled: String(enabled) }) },
  { name: 'cut-off', status: 400, key: 'owner_key', body: (enabled) => `{"enabled":${enabled}` },
  { name: 'no-credential', status: 401 },
  { name: 'revoked-key', status: 401, key: 'revoked_key' },
  { name: 'member-key', status: 403, key: 'member_key' },
  { name: 'viewer-key', status: 403, key: 'viewer_key' },
  { name: 'feature-off-key', status: 403, key: 'feature_off_key' },
  { name: 'too-large', status: 413, key: 'owner_key', body: (enabled) => enabledBody(enabled).padStart(20_000) },
  { name: 'other-type', status: 415, key: 'owner_key', type: ['Content-Type', 'text/plain'] },
];

/** A refused update has no effect on the setting, the audit log or the cached results. */
export const refusedUpdateChecks: readonly Check[] = refusedUpdates.flatMap((refused) =>
  (['change', 'same'] as const).map((kind) =>
    ruleCheck({
      id: `D26.${refused.status}-${refused.name}-${kind}`,
      title: `a ${refused.status} update (${refused.name.replaceAll('-', ' ')}, ${kind} value) has no side effects`,
      rules: ['D26', 'D27'],
      needs: [...new Set<'operator' | CredentialName>(['operator', 'owner_key', refused.key ?? 'owner_key'])],
      run: (context) =>
        leavingSettingAlone(context, (saved) =>
          leavingNoTrace(context, () => send(context, refused, kind === 'change' ? !saved : saved)),
        ),
    }),
  ),
);

async function send(context: CheckContext, refused: RefusedUpdate, enabled: boolean): Promise<void> {
  const { name, status, key, type = jsonType, body = enabledBody } = refused;
  const headers = [type, ...(key === undefined ? [] : [apiKey(context.credential(key))])];
  const response = await context.call({ method: 'PUT', path: settingPath, headers, body: body(enabled) });
  expectResponse(response, `an update refused for ${name.replaceAll('-', ' ')}`, status);
}
