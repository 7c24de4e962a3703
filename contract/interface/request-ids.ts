import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { dressed } from './crossings.ts';
import { expectThat, shown, shownApart } from './expect.ts';
import { apiKey, bearer, readCase, readSetting, settingPath, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const owner = (context: CheckContext) => apiKey(context.credential('owner_key'));
const token = (context: CheckContext) => bearer(context.credential('access_token'));

/** A request for each kind of response, except those that count against the address's limit. */
const kinds: [
  name: string,
  needs: CredentialName[],
  status: number,
  request: (context: CheckContext) => RequestSpec,
][] = [
  ['a-read-setting', ['owner_key'], 200, (context) => readSetting(owner(context))],
  ['HEAD', ['owner_key'], 200, (context) => ({ ...readSetting(owner(context)), method: 'HEAD' })],
  [
    'a-read-case',
    ['access_token', 'case_id'],
    200,
    (context) => readCase(context.credential('case_id'), token(context)),
  ],
  ['an-invalid-update', ['owner_key'], 400, (context) => updateSetting('{}', owner(context))],
  [
    'a-forbidden-update',
    ['viewer_key'],
    403,
    (context) => updateSetting('{}', apiKey(context.credential('viewer_key'))),
  ],
  ['an-unknown-case', ['access_token'], 404, (context) => readCase(unknownCaseId, token(context))],
  ['an-unknown-path', [], 404, () => ({ method: 'GET', path: '/no-such-path' })],
  ['another-method', [], 405, () => ({ method: 'DELETE', path: settingPath })],
  ['OPTIONS', [], 405, () => ({ method: 'OPTIONS', path: settingPath })],
  ['HTTP-1.0', [], 404, () => ({ method: 'GET', path: '/no-such-path', requestLine: 'GET /no-such-path HTTP/1.0' })],
  ['a-body-too-large', ['owner_key'], 413, (context) => updateSetting(' '.repeat(20_000), owner(context))],
  [
    'another-media-type',
    ['owner_key'],
    415,
    (context) => ({
      method: 'PUT',
      path: settingPath,
      headers: [owner(context), ['Content-Type', 'text/plain']],
      body: 'x',
    }),
  ],
];

/** Decision D36, for every kind of response. */
export const requestIdChecks: readonly Check[] = [
  ...kinds.map(([name, needs, status, request]) =>
    ruleCheck({
      id: `D36.of-${name}`,
      title: `the response to ${name.replaceAll('-', ' ')} has the X-Request-Id of its request, or a new one`,
      rules: ['D36'],
      needs,
      run: async (context) => {
        const sent = `contract-${name}`;
        const ask = async (...headers: [string, string][]) => {
          const response = await context.call(dressed(request(context), '', headers));
          expectThat(response.status === status, `${status} for ${name}`, String(response.status));
          return response.headers['x-request-id'] ?? '';
        };
        const taken = await ask(['X-REQUEST-ID', sent]);
        const [promised, found] = shownApart(sent, taken);
        expectThat(taken === sent, `X-Request-Id ${promised}`, found);
        const others = [await ask(), await ask(), await ask(['X-Request-Id', sent], ['X-Request-Id', `${sent}-2`])];
        const own = new Set(others.filter((id) => id !== '' && !id.startsWith(sent)));
        expectThat(own.size === others.length, 'a unique X-Request-Id for each other request', shown(others));
      },
    }),
  ),
];
