import type { Check } from '../run/model.ts';
import { expectResponse, expectThat, shown } from './expect.ts';
import { apiKey, readSetting, settingPath, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const origin = ['Origin', 'https://page.example'] as const;

const preflights: [name: string, path: string, method: string, header: string][] = [
  ['setting', settingPath, 'PUT', 'x-api-key,content-type'],
  ['case', `/cases/${unknownCaseId}`, 'GET', 'authorization'],
];

function expectNoPermission(headers: Readonly<Record<string, string | undefined>>, what: string): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('access-control-allow-'));
  expectThat(names.length === 0, `no Access-Control-Allow-* in ${what}`, shown(names));
}

/** Decision D181: pages of another origin may not call the API. */
export const otherOriginChecks: readonly Check[] = [
  ...preflights.map(([name, path, method, header]) =>
    ruleCheck({
      id: `D181.preflight-of-the-${name}`,
      title: `a preflight of the ${name} gets 405 like any OPTIONS, without CORS headers`,
      rules: ['D181', 'D17'],
      needs: [],
      readsOnly: true,
      run: async (context) => {
        const asked: [string, string][] = [
          ['Access-Control-Request-Method', method],
          ['Access-Control-Request-Headers', header],
        ];
        const response = await context.call({ method: 'OPTIONS', path, headers: [origin, ...asked] });
        expectResponse(response, 'a preflight', 405, 'request.method-not-allowed');
        expectNoPermission(response.headers, 'the response to a preflight');
      },
    }),
  ),
  ruleCheck({
    id: 'D181.reading-from-a-page',
    title: 'responses to requests of another origin have no CORS headers',
    rules: ['D181'],
    needs: ['member_key'],
    readsOnly: true,
    run: async (context) => {
      const response = await context.call(readSetting(apiKey(context.credential('member_key')), origin));
      expectResponse(response, 'a request of another origin', 200);
      expectNoPermission(response.headers, 'a response to a page');
    },
  }),
];
