import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { leavingNoTrace } from './audit.ts';
import { expectResponse } from './expect.ts';
import { apiKey, bearer, readCase, readSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const safe: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  [
    'head-of-the-setting',
    ['owner_key'],
    (context) => ({ ...readSetting(apiKey(context.credential('owner_key'))), method: 'HEAD' }),
  ],
  [
    'reading-a-case',
    ['access_token', 'case_id'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
];

/** Decisions D26 and D27, for safe requests other than reading the setting. */
export const safeRequestChecks: readonly Check[] = safe.map(([name, needs, request]) =>
  ruleCheck({
    id: `D26.${name}`,
    title: `${name.replaceAll('-', ' ')} has no side effects`,
    rules: ['D26', 'D27'],
    needs: [...needs, 'operator'],
    run: (context) =>
      leavingNoTrace(context, async () => {
        expectResponse(await context.call(request(context)), name.replaceAll('-', ' '), 200);
      }),
  }),
);
