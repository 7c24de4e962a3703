import type { Check, CheckContext, HttpResponse } from '../run/model.ts';
import { expectRefused, expectThat, shown } from './expect.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  type Header,
  readCase,
  readSetting,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rule-check.ts';

/** The interface document names no status for them; the document does, and the oracle. */
const refusedTokens: [name: string, headers: (context: CheckContext) => readonly Header[]][] = [
  ['absent', () => []],
  ['made-up', () => [bearer('made-up')]],
  ['without-scheme', ({ credentials }) => [['Authorization', credentials.access_token ?? 'made-up']]],
  ['as-api-key', ({ credentials }) => [apiKey(credentials.access_token ?? 'made-up')]],
  ['api-key', ({ credentials }) => [bearer(credentials.owner_key ?? 'made-up')]],
  ['api-key-in-its-header', ({ credentials }) => [apiKey(credentials.owner_key ?? 'made-up')]],
];

/** Section 5, beside what the oracle says of every request. */
export const authenticationChecks: readonly Check[] = [
  ...refusedTokens.map(([name, headers]) =>
    ruleCheck({
      id: `5-S2.reading-a-case.${name}`,
      title: `reading a case is refused with a credential that is ${name.replaceAll('-', ' ')}`,
      rules: ['5-S2'],
      needs: [],
      readsOnly: true,
      failsToAuthenticate: 'once',
      run: async (context) => {
        const id = context.credentials.case_id ?? unknownCaseId;
        expectRefused(await context.call(readCase(id, ...headers(context))), `reading a case with a token ${name}`);
      },
    }),
  ),
  ruleCheck({
    id: 'D23.challenge-of-the-case',
    title: 'the challenge names an error only if a token was sent',
    rules: ['D23'],
    needs: [],
    failsToAuthenticate: 'once',
    run: async (context) => {
      const without = (await context.call(readCase(unknownCaseId))).headers['www-authenticate'] ?? '';
      expectThat(/^Bearer(?!.*error=)/.test(without), 'a Bearer challenge without an error', shown(without));
      const withToken =
        (await context.call(readCase(unknownCaseId, bearer('made-up')))).headers['www-authenticate'] ?? '';
      expectThat(/^Bearer .*error="invalid_token"/.test(withToken), 'the error invalid_token', shown(withToken));
    },
  }),
  ruleCheck({
    id: 'D23.challenge-of-the-setting',
    title: 'the challenge of the organisation operations is for an API key',
    rules: ['D23'],
    needs: [],
    failsToAuthenticate: 'once',
    run: async (context) => {
      for (const request of [readSetting(), updateSetting(enabledBody(true))]) {
        const challenge = (await context.call(request)).headers['www-authenticate'] ?? '';
        expectThat(/^ApiKey /.test(challenge), `an ApiKey challenge to ${request.method}`, shown(challenge));
      }
    },
  }),
  ruleCheck({
    id: 'D23.realm-of-the-region',
    title: 'the realm of every challenge names the region',
    rules: ['D23'],
    needs: [],
    failsToAuthenticate: 'once',
    run: async (context) => {
      const { region = '(uk|ca)' } = context.credentials;
      const setting = realmOf(await context.call(readSetting()));
      const aCase = realmOf(await context.call(readCase(unknownCaseId)));
      const promised = new RegExp(`^document-analysis-${region}$`);
      expectThat(promised.test(setting), `the realm document-analysis-${region}`, shown(setting));
      expectThat(aCase === setting, `the realm ${setting} of both schemes`, shown(aCase));
    },
  }),
];

function realmOf({ headers }: HttpResponse): string {
  return /realm="([^"]*)"/i.exec(headers['www-authenticate'] ?? '')?.[1] ?? '';
}
