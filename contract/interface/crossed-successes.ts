/** Valid requests with additions: a credential of another scheme is ignored next to the operation's own. */
import { isDeepStrictEqual } from 'node:util';
import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { additions, type Crossing, dressed } from './crossings.ts';
import { expectResponse, expectThat, objectOf, shown, shownApart } from './expect.ts';
import { apiKey, bearer, enabledBody, readCase, readSetting, settingPath, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting } from './setting.ts';

const reads: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  ['the-setting', ['member_key'], (context) => readSetting(apiKey(context.credential('member_key')))],
  [
    'a-case',
    ['case_id', 'access_token'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
];

/** Other callers' credentials in places where the operation does not read one. */
const foreign: readonly Crossing[] = (['feature_off_key', 'other_access_token', 'viewer_key'] as const).map((name) => ({
  name: `with ${name} in the header of the other scheme`,
  needs: [name],
  cross: (request, context) => {
    const secret = context.credential(name);
    return dressed(request, '', [request.path.startsWith(settingPath) ? bearer(secret) : apiKey(secret)]);
  },
}));

const dresses: readonly Crossing[] = [
  ...foreign,
  ...additions.filter(({ name }) => name.startsWith('with header names')),
  {
    name: 'by HTTP/1.0',
    cross: (request) => ({ ...request, requestLine: `${request.method} ${request.path} HTTP/1.0` }),
  },
];

const dressNeeds = dresses.flatMap(({ needs = [] }) => needs);

export const crossedSuccessChecks: readonly Check[] = [
  ...reads.map(([name, needs, request]) =>
    ruleCheck({
      id: `D22.beside-${name}`,
      title: `reading ${name.replaceAll('-', ' ')} is the same with a second credential, other spellings and HTTP/1.0`,
      rules: ['D22', 'D17'],
      needs: [...new Set([...needs, ...dressNeeds])],
      run: async (context) => {
        const plain = objectOf(await context.call(request(context)), `reading ${name.replaceAll('-', ' ')}`);
        for (const { name: dress, cross } of dresses) {
          const response = await context.call(cross(request(context), context));
          expectResponse(response, `reading ${name.replaceAll('-', ' ')} ${dress}`, 200);
          const body = objectOf(response, dress);
          const [promised, found] = shownApart(plain, body);
          expectThat(isDeepStrictEqual(body, plain), `the same body ${dress}: ${promised}`, found);
        }
      },
    }),
  ),
  ruleCheck({
    id: 'D22.beside-an-update',
    title: 'an update uses the credential in the right header despite a second one, other spellings and HTTP/1.0',
    rules: ['D22', 'D17'],
    needs: [...new Set<CredentialName>(['owner_key', 'member_key', ...dressNeeds])],
    run: async (context) => {
      const saved = await savedSetting(context, 'member_key');
      for (const [index, { name: dress, cross }] of dresses.entries()) {
        const change = index % 2 === 0 ? !saved : saved;
        const update = updateSetting(enabledBody(change), apiKey(context.credential('owner_key')));
        const response = await context.call(cross(update, context));
        expectResponse(response, `an update ${dress}`, 200);
        const { enabled } = objectOf(response, 'an update');
        expectThat(enabled === change, `the saved value ${change} ${dress}`, shown(enabled));
        const now = await savedSetting(context, 'member_key');
        expectThat(now === change, `the setting to be ${change} after an update ${dress}`, String(now));
      }
    },
  }),
];
