import { isDeepStrictEqual } from 'node:util';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import type { HttpResponse, Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  readCase,
  readSetting,
  settingPath,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting } from './setting.ts';

const someCase = `/cases/${unknownCaseId}`;

const undocumented = ['POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PUT']
  .flatMap((method) => [settingPath, someCase].map((path) => ({ method, path })))
  .filter(({ method, path }) => !matchOperation(ownDocument, method, path));

const otherPaths: Record<string, string> = {
  root: '/',
  'first-part': '/organisations',
  'first-parts': '/organisations/features',
  'trailing-slash': `${settingPath}/`,
  'one-part-more': `${settingPath}/x`,
  capitals: settingPath.toUpperCase(),
  'first-part-in-capital': '/Organisations/features/verification',
  'last-part-in-capital': '/organisations/features/Verification',
  'cases-alone': '/cases',
  'case-without-identifier': '/cases/',
  'case-with-trailing-slash': `${someCase}/`,
  'files-of-a-case': `${someCase}/files`,
  'case-in-capital': `/Cases/${unknownCaseId}`,
  'no-such-path': '/no-such-path',
};

const unknownPaths = Object.entries(otherPaths).filter(([, path]) => operationsOfPath(ownDocument, path).length === 0);

const reads: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  ['the-setting', ['owner_key'], (context) => readSetting(apiKey(context.credential('owner_key')))],
  [
    'a-case',
    ['access_token', 'case_id'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
  ['a-forbidden-setting', ['viewer_key'], (context) => readSetting(apiKey(context.credential('viewer_key')))],
  [
    'a-setting-without-the-feature',
    ['feature_off_key'],
    (context) => readSetting(apiKey(context.credential('feature_off_key'))),
  ],
  [
    'an-unknown-case',
    ['access_token'],
    (context) => readCase(unknownCaseId, bearer(context.credential('access_token'))),
  ],
];

const queries = ['?unknown=1', '?enabled=true&enabled=false', '?unknown[x]=1&=&%20', '?admin=true&role=owner&debug=1'];

/** Decisions D15 and D17. */
export const methodAndPathChecks: readonly Check[] = [
  ...undocumented.map(({ method, path }) =>
    ruleCheck({
      id: `D17.${method}-${path === settingPath ? 'setting' : 'case'}`,
      title: `${method} is not a method of ${path}`,
      rules: ['D17', 'D9'],
      needs: [],
      run: async (context) => {
        const response = await context.call({ method, path });
        expectResponse(response, `${method} ${path}`, 405, 'request.method-not-allowed');
        const allowed = (response.headers['allow'] ?? '').split(/, */);
        expectThat(!allowed.includes(method), `Allow without ${method}`, shown(allowed));
      },
    }),
  ),
  ...unknownPaths.map(([name, path]) =>
    ruleCheck({
      id: `D17.path-${name}`,
      title: `${path} gets 404 with any method and credential`,
      rules: ['D17', 'D9'],
      needs: [],
      run: async (context) => {
        const { owner_key: key, access_token: token } = context.credentials;
        const headers = [...(key === undefined ? [] : [apiKey(key)]), ...(token === undefined ? [] : [bearer(token)])];
        for (const method of ['GET', 'PUT', 'OPTIONS'])
          for (const sent of [[], headers])
            expectResponse(
              await context.call({ method, path, headers: sent }),
              `${method} ${path}`,
              404,
              'request.not-found',
            );
      },
    }),
  ),
  ...reads.flatMap(([name, needs, request]) => [
    ruleCheck({
      id: `D17.HEAD-of-${name}`,
      title: `HEAD of ${name.replaceAll('-', ' ')} gets the response to GET, without a body`,
      rules: ['D17'],
      needs,
      run: async (context) => {
        const spec = request(context);
        expectLike(await context.call({ ...spec, method: 'HEAD' }), await context.call(spec));
      },
    }),
    ruleCheck({
      id: `D15.query-of-${name}`,
      title: `query parameters do not affect ${name.replaceAll('-', ' ')}`,
      rules: ['D15'],
      needs,
      run: async (context) => {
        const spec = request(context);
        const plain = await context.call(spec);
        for (const query of queries) {
          const response = await context.call({ ...spec, path: spec.path + query });
          expectResponse(response, `${name} with the query ${query}`, plain.status);
          const isSame = isDeepStrictEqual(objectOf(response, name), objectOf(plain, name));
          expectThat(isSame, `the same body with the query ${query}`, shown(response.text));
        }
      },
    }),
  ]),
  ruleCheck({
    id: 'D15.query-of-an-update',
    title: 'an update saves the value of its body, not of its query',
    rules: ['D15'],
    needs: ['owner_key'],
    run: async (context) => {
      const saved = await savedSetting(context);
      const spec = updateSetting(enabledBody(!saved), apiKey(context.credential('owner_key')));
      const response = await context.call({ ...spec, path: `${spec.path}?enabled=${saved}&unknown=1` });
      expectResponse(response, 'an update with a query', 200);
      const now = await savedSetting(context);
      expectThat(now !== saved, `the setting to be ${!saved} after an update with a query`, String(now));
    },
  }),
];

function expectLike(head: HttpResponse, get: HttpResponse): void {
  expectResponse(head, 'HEAD, as GET', get.status);
  expectThat(head.text === '', 'no body for HEAD', shown(head.text));
  const length = head.headers['content-length'];
  const expected = String(Buffer.byteLength(get.text));
  expectThat(length === undefined || length === expected, `Content-Length ${expected} or none for HEAD`, shown(length));
}
