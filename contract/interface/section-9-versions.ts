import { ownDocument } from '../document/own-document.ts';
import type { Check } from '../run/model.ts';
import { expectRefused, expectResponse, expectThat, shown, shownApart } from './expect.ts';
import { apiKey, bearer, readSetting, settingPath } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting } from './setting.ts';

const longestId = 'Z'.repeat(128);
const wellFormedIds = ['contract-1.2_3~4', 'x', longestId];
const withoutCredential = [
  ...wellFormedIds.flatMap((id) => [[id, 'GET', '/no-such-path'] as const, [id, 'DELETE', settingPath] as const]),
  // Only one, because targets limit failed authentications.
  [longestId, 'GET', settingPath] as const,
];
const malformedIds = ['two words', '<script>', 'a/b', 'x'.repeat(129)];

/** Section 9, and decision D36. */
export const versionChecks: readonly Check[] = [
  ruleCheck({
    id: '9-V1.at-its-path',
    title: 'the API description has a version, and no path has one',
    rules: ['9-V1'],
    needs: [],
    failsToAuthenticate: 'once',
    run: async (context) => {
      const { version } = ownDocument;
      expectThat(/^\d+\.\d+\.\d+$/.test(version), 'a version in the document', version);
      expectResponse(await context.call(readSetting()), 'the path without a version', 401);
    },
  }),
  ruleCheck({
    id: 'D33.no-version-in-the-path',
    title: 'a path with a version gets 404',
    rules: ['D33'],
    needs: [],
    run: async (context) => {
      for (const prefix of ['/v1', '/v0', `/${ownDocument.version}`])
        expectResponse(await context.call({ method: 'GET', path: prefix + settingPath }), `the prefix ${prefix}`, 404);
    },
  }),
  ruleCheck({
    id: 'D33.no-version-in-a-header',
    title: 'headers that ask for a version are ignored',
    rules: ['D33'],
    needs: ['owner_key'],
    run: async (context) => {
      const saved = await savedSetting(context);
      for (const name of ['Accept-Version', 'X-API-Version', 'API-Version']) {
        const response = await context.call(readSetting(apiKey(context.credential('owner_key')), [name, '99']));
        expectResponse(response, `a request with ${name}`, 200);
        expectThat(response.text.includes(String(saved)), `the same setting with ${name}`, shown(response.text));
      }
    },
  }),
  ...(['owner_key', 'access_token'] as const).map((name) =>
    ruleCheck({
      id: `9-V2.${name.replace('_', '-')}-of-another-region`,
      title: `${name} with the prefix of another region is refused`,
      rules: ['9-V2', 'D24'],
      needs: [name],
      run: async (context) => {
        const { region = 'uk', case_id: id = 'x' } = context.credentials;
        const other = region === 'uk' ? 'ca' : 'uk';
        const secret = context.credential(name);
        const moved = secret.includes(`_${region}_`) ? secret.replace(`_${region}_`, `_${other}_`) : other + secret;
        const request =
          name === 'owner_key'
            ? readSetting(apiKey(moved))
            : { method: 'GET', path: `/cases/${id}`, headers: [bearer(moved)] };
        const response = await context.call(request);
        expectRefused(response, `${name} of the region ${other}`);
        if (name === 'owner_key') expectResponse(response, `${name} of the region ${other}`, 401);
      },
    }),
  ),
  ruleCheck({
    id: 'D36.taken-over',
    title: 'every response returns a well-formed X-Request-Id of its request',
    rules: ['D36'],
    needs: [],
    run: async (context) => {
      for (const [sent, method, path] of withoutCredential) {
        const response = await context.call({ method, path, headers: [['X-Request-Id', sent]] });
        const came = response.headers['x-request-id'];
        const [promised, found] = shownApart(sent, came);
        expectThat(came === sent, `X-Request-Id ${promised} for ${method} ${path}`, found);
      }
    },
  }),
  ruleCheck({
    id: 'D36.replaced',
    title: 'a malformed X-Request-Id is replaced by a unique one',
    rules: ['D36'],
    needs: [],
    run: async (context) => {
      const came = new Set<string | undefined>();
      for (const sent of malformedIds) {
        const response = await context.call({
          method: 'GET',
          path: '/no-such-path',
          headers: [['X-Request-Id', sent]],
        });
        const id = response.headers['x-request-id'];
        expectThat(id !== sent, `another X-Request-Id than ${shown(sent)}`, shown(id));
        came.add(id);
      }
      expectThat(came.size === malformedIds.length, 'a unique X-Request-Id for each request', shown([...came]));
    },
  }),
];
