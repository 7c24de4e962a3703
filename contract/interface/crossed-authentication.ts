/**
 * Requests without a credential, combined with all additions at once, because each refusal counts against the address's
 * limit.
 */
import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { additions, overrides } from './crossings.ts';
import { expectRefused, expectResponse, expectThat, shown } from './expect.ts';
import { apiKey, bearer, enabledBody, readCase, readSetting, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const invalidToken = 'request.authentication.invalid-token';

const anonymous: [rule: string, name: string, status: number | undefined, request: () => RequestSpec][] = [
  ['5-A1', 'reading-the-setting', 401, () => readSetting()],
  ['5-A1', 'updating-the-setting', 401, () => updateSetting(enabledBody(true))],
  ['5-S2', 'reading-a-case', undefined, () => readCase(unknownCaseId)],
];

const valid: [name: string, needs: CredentialName, valid: (secret: string) => RequestSpec, without: RequestSpec][] = [
  ['reading-the-setting', 'owner_key', (key) => readSetting(apiKey(key)), readSetting()],
  ['reading-a-case', 'access_token', (token) => readCase(unknownCaseId, bearer(token)), readCase(unknownCaseId)],
];

/** Adds each distinct field once; a field that is sent twice is another case. */
function withAll(request: RequestSpec, context: CheckContext): RequestSpec {
  const crossed = additions.reduce((spec, { cross }) => cross(spec, context), request);
  const names = new Set<string>();
  const isFirst = (name: string) => !names.has(name.toLowerCase()) && names.add(name.toLowerCase());
  return { ...crossed, headers: (crossed.headers ?? []).filter(([name]) => isFirst(name)) };
}

export const crossedAuthenticationChecks: readonly Check[] = [
  ...anonymous.map(([rule, name, status, request]) =>
    ruleCheck({
      id: `${rule}.crossed-${name}`,
      title: `${name.replaceAll('-', ' ')} without a credential is refused, with any additional input`,
      rules: [rule],
      needs: [],
      readsOnly: name.startsWith('reading'),
      failsToAuthenticate: 'variants',
      run: async (context) => {
        const response = await context.call(withAll(request(), context));
        if (status === undefined) expectRefused(response, name.replaceAll('-', ' '));
        else expectResponse(response, `${name.replaceAll('-', ' ')} without a credential`, status);
      },
    }),
  ),
  ...valid.map(([name, needs, request, without]) =>
    ruleCheck({
      id: `D22.after-${name}`,
      title: `${name.replaceAll('-', ' ')} without a credential is refused after a valid request on its connection`,
      rules: ['D22'],
      needs: [needs],
      failsToAuthenticate: 'variants',
      run: async (context) => {
        await context.call(request(context.credential(needs)));
        const crossed = overrides
          .filter(({ name: override }) => override.endsWith(': GET'))
          .reduce((spec, { cross }) => cross(spec, context), without);
        expectResponse(
          await context.call(crossed),
          `${name.replaceAll('-', ' ')} after a valid request`,
          401,
          invalidToken,
        );
      },
    }),
  ),
  ruleCheck({
    id: 'D23.realm-of-the-region',
    title: 'the realm of every challenge names the region',
    rules: ['D23'],
    needs: [],
    failsToAuthenticate: 'once',
    run: async (context) => {
      const { region = '(uk|ca)' } = context.credentials;
      const setting = realmOf(await context.call(readSetting()));
      const aCase = realmOf(await context.call(byHttp10(readCase(unknownCaseId))));
      const promised = new RegExp(`^document-analysis-${region}$`);
      expectThat(promised.test(setting), `the realm document-analysis-${region}`, shown(setting));
      expectThat(aCase === setting, `the realm ${setting} of both schemes`, shown(aCase));
    },
  }),
];

function byHttp10(request: RequestSpec): RequestSpec {
  return { ...request, requestLine: `${request.method} ${request.path} HTTP/1.0` };
}

function realmOf({ headers }: HttpResponse): string {
  return /realm="([^"]*)"/i.exec(headers['www-authenticate'] ?? '')?.[1] ?? '';
}
