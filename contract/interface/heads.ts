import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { dressed } from './crossings.ts';
import { expectThat, shown } from './expect.ts';
import { apiKey, bearer, readCase, readSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { lastingDifferences } from './stable-parts.ts';

const reads: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  ['the-setting', ['member_key'], (context) => readSetting(apiKey(context.credential('member_key')))],
  [
    'a-case',
    ['access_token', 'case_id'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
  ['a-forbidden-setting', ['viewer_key'], (context) => readSetting(apiKey(context.credential('viewer_key')))],
  ['an-unknown-path', [], () => ({ method: 'GET', path: '/no-such-path' })],
];

/** Headers that HEAD may omit (RFC 9110, section 9.3.2), and headers of the connection. */
const omissible =
  /^(content-length|content-encoding|transfer-encoding|etag|last-modified|vary|trailer|date|age|connection|keep-alive)$/;
/** Headers that vary between responses. */
const changing = /^(date|age|x-request-id|ratelimit|connection|keep-alive|transfer-encoding|set-cookie)$/;

/** Decision D17: HEAD returns the same headers as GET. */
export const headChecks: readonly Check[] = reads.flatMap(([name, needs, request]) =>
  ['', 'a=b'].map((query) =>
    ruleCheck({
      id: `D17.HEAD-headers-of-${name}${query === '' ? '' : '-with-a-query'}`,
      title: `HEAD of ${name.replaceAll('-', ' ')} has the headers of GET, including Content-Length`,
      rules: ['D17'],
      needs,
      readsOnly: true,
      run: async (context) => {
        const spec = dressed(request(context), query, []);
        const get = await context.call(spec);
        const head = await context.call({ ...spec, method: 'HEAD' });
        expectThat(head.status === get.status, `the status ${get.status} of GET`, String(head.status));
        const differing = await lastingDifferences(
          () => context.call(spec),
          () => context.call({ ...spec, method: 'HEAD' }),
          differences,
        );
        expectThat(differing.length === 0, 'the headers of GET', `differences in ${differing.join(', ')}`);
        const length = head.headers['content-length'] ?? get.headers['content-length'];
        const bytes = String(get.bytes?.length ?? Buffer.byteLength(get.text));
        expectThat(length === undefined || length === bytes, `Content-Length ${bytes}`, shown(length));
      },
    }),
  ),
);

function differences(get: HttpResponse, head: HttpResponse): string[] {
  const names = new Set([...Object.keys(get.headers), ...Object.keys(head.headers)]);
  return [...names].filter((name) => {
    const [sent, expected] = [head.headers[name], get.headers[name]];
    if (sent === undefined) return !omissible.test(name);
    return sent !== expected && !changing.test(name) && !(expected === undefined && omissible.test(name));
  });
}
