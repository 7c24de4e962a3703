import type { HttpResponse, Check, CheckContext, CredentialName } from '../run/model.ts';
import { expectResponse, expectThat, shown } from './expect.ts';
import { bearer, type Header, readCase, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { lastingDifferences } from './stable-parts.ts';

const otherUnknownId = 'b0c7e5d2-19f8-4e36-8a4d-6c2f7b9e0d15';

const identifiers: [name: string, needs: CredentialName[], id: (context: CheckContext) => string][] = [
  ['another-unknown-case', [], () => otherUnknownId],
  ['a-foreign-case', ['other_case_id'], (context) => context.credential('other_case_id')],
  ['a-number', [], () => '1'],
  ['a-word', [], () => 'null'],
  ['a-uuid-cut-off', [], () => unknownCaseId.slice(0, -1)],
  ['a-uuid-in-braces', [], () => `%7B${unknownCaseId}%7D`],
  ['an-injection', [], () => "1'%20OR%20'1'='1"],
  ['a-broken-escape', [], () => '%zz'],
  ['a-zero-byte', [], () => '%00'],
  ['a-long-text', [], () => 'x'.repeat(2000)],
];

const changing = ['date', 'ratelimit', 'x-request-id'];

/** Decision D16. */
export const likeNotFoundChecks: readonly Check[] = identifiers.map(([name, needs, id]) =>
  ruleCheck({
    id: `D16.${name}`,
    title: `${name.replaceAll('-', ' ')} gets exactly the response to an unknown case`,
    rules: ['D16', 'D9'],
    needs: ['access_token', ...needs],
    run: async (context) => {
      for (const method of ['GET', 'HEAD']) {
        const ask = (path: string) => context.call({ ...readCase(path, ...headersOf(context)), method });
        const asked = async () => {
          const response = await ask(id(context));
          const code = method === 'GET' ? 'request.cases.case.not-found' : undefined;
          expectResponse(response, `${method} of ${name.replaceAll('-', ' ')}`, 404, code);
          return response;
        };
        const differing = await lastingDifferences(() => ask(unknownCaseId), asked, differences);
        expectThat(
          differing.length === 0,
          `${method} to get the response to an unknown case`,
          `another ${shown(differing)}`,
        );
      }
    },
  }),
);

function headersOf(context: CheckContext): Header[] {
  return [bearer(context.credential('access_token')), ['X-Request-Id', 'like-not-found']];
}

/** The parts in which two responses differ, except those that always vary. */
function differences(a: HttpResponse, b: HttpResponse): string[] {
  const names = new Set([...Object.keys(a.headers), ...Object.keys(b.headers)]);
  const headers = [...names].filter((name) => !changing.includes(name) && a.headers[name] !== b.headers[name]);
  return [...(a.status === b.status ? [] : ['status']), ...(a.text === b.text ? [] : ['body']), ...headers];
}
