import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { leavingNoTrace, operatorOf } from './audit.ts';
import { expectResponse, expectThat, isObject, objectOf, shown } from './expect.ts';
import { apiKey, bearer, enabledBody, readCase, readSetting, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { leavingSettingAlone } from './setting.ts';

const internals =
  /sqlite|\bsql\b|no such (table|column)|taken_away|node_modules|\bat \S+ \(|\.[cm]?[jt]s\b|\/(home|tmp|usr|var)\//i;

const operations: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  ['reading-the-setting', [], (context) => readSetting(apiKey(context.credential('owner_key')))],
  ['switching-on', [], (context) => updateSetting(enabledBody(true), apiKey(context.credential('owner_key')))],
  ['switching-off', [], (context) => updateSetting(enabledBody(false), apiKey(context.credential('owner_key')))],
  [
    'reading-a-case',
    ['access_token', 'case_id'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
];

/** The responses of operations while the server has an internal error. */
export const failingStoreChecks: readonly Check[] = operations.flatMap(([name, needs, request]) => [
  ruleCheck({
    id: `7-E1.fault-while-${name}`,
    title: `an internal failure while ${name.replaceAll('-', ' ')} returns the error object`,
    rules: ['7-E1', '2.5-F1', '2.5-F2'],
    needs: ['operator', 'owner_key', ...needs],
    run: async (context) => {
      const { status, text } = await whileStoreFails(context, request(context));
      expectThat(status >= 500, `an internal failure while ${name.replaceAll('-', ' ')}`, String(status));
      const { error_code: code, error_message: message, error_details: details } = objectOf({ status, text }, name);
      const isError = typeof code === 'string' && typeof message === 'string';
      expectThat(isError && (details === undefined || isObject(details)), 'the error object', shown(text));
    },
  }),
  ruleCheck({
    id: `D10.fault-while-${name}`,
    title: `an internal failure while ${name.replaceAll('-', ' ')} gets 500 or 503 and discloses no internals`,
    rules: ['D10'],
    needs: ['operator', 'owner_key', ...needs],
    run: (context) =>
      leavingSettingAlone(context, async (saved) => {
        await leavingNoTrace(context, () => expectFault(context, name, request(context)));
        const again = await context.call(request(context));
        expectResponse(again, `${name.replaceAll('-', ' ')} after the server has recovered`, 200);
        await context.call(updateSetting(enabledBody(saved), apiKey(context.credential('owner_key'))));
      }),
  }),
]);

async function expectFault(context: CheckContext, name: string, request: RequestSpec): Promise<void> {
  const { status, text } = await whileStoreFails(context, request);
  expectThat(status === 500 || status === 503, `500 or 503 while ${name.replaceAll('-', ' ')}`, String(status));
  expectThat(!internals.test(text), 'an error that discloses no internals of the server', shown(text));
}

async function whileStoreFails(context: CheckContext, request: RequestSpec): Promise<HttpResponse> {
  const heal = await operatorOf(context).breakStore();
  try {
    return await context.call(request);
  } finally {
    await heal();
  }
}
