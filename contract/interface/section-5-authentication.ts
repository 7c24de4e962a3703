import type { Check, CheckContext, RequestSpec } from '../run/model.ts';
import { expectRefused, expectResponse, expectThat, shown } from './expect.ts';
import { type Presented, refusedKeys, refusedTokens } from './presented-credentials.ts';
import { apiKey, bearer, enabledBody, readCase, readSetting, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

interface Protected {
  readonly name: string;
  readonly rules: readonly string[];
  /** Absent if the interface document states none. */
  readonly status?: number;
  readonly refused: readonly Presented[];
  readonly request: (context: CheckContext) => RequestSpec;
}

const invalidToken = 'request.authentication.invalid-token';

const operations: readonly Protected[] = [
  {
    name: 'reading-the-setting',
    rules: ['5-A1', '5-S1'],
    status: 401,
    refused: refusedKeys,
    request: () => readSetting(),
  },
  {
    name: 'updating-the-setting',
    rules: ['5-A1', '5-S1', '7.1-E401'],
    status: 401,
    refused: refusedKeys,
    request: () => updateSetting(enabledBody(true)),
  },
  {
    name: 'reading-a-case',
    rules: ['5-S2'],
    refused: refusedTokens,
    request: ({ credentials }) => readCase(credentials.case_id ?? unknownCaseId),
  },
];

/** The interface document does not cover a credential that is sent twice. */
const sentTwice = /^doubled|-then-valid$/;

const refusedChecks = operations.flatMap(({ name, rules, status, refused, request }) =>
  refused.map((presented) => {
    const isDecision = sentTwice.test(presented.name);
    return ruleCheck({
      id: `${isDecision ? 'D22' : (rules[0] ?? '')}.${name}.${presented.name}`,
      title: `${name.replaceAll('-', ' ')} is refused with a credential that is ${presented.name.replaceAll('-', ' ')}`,
      rules: isDecision ? ['D22'] : rules,
      needs: presented.needs,
      readsOnly: name.startsWith('reading'),
      failsToAuthenticate: 'variants',
      run: async (context) => {
        const who = `${name.replaceAll('-', ' ')} with a credential ${presented.name}`;
        const response = await context.call(presenting(context, presented, request(context)));
        if (isDecision) expectResponse(response, who, 401, invalidToken);
        else if (status === undefined) expectRefused(response, who);
        else expectResponse(response, who, status);
      },
    });
  }),
);

const codeChecks = operations
  .filter(({ status }) => status !== undefined)
  .map(({ name, request }) =>
    ruleCheck({
      id: `7.2-C2.${name}`,
      title: `${name.replaceAll('-', ' ')} with an unknown key gets the code of an invalid token`,
      rules: ['7.2-C2'],
      needs: [],
      failsToAuthenticate: 'once',
      run: async (context) => {
        const spec = request(context);
        const response = await context.call({ ...spec, headers: [...(spec.headers ?? []), apiKey('made-up')] });
        expectResponse(response, `${name.replaceAll('-', ' ')} with an unknown key`, 401, invalidToken);
      },
    }),
  );

/** A few kinds are enough, because each counts against the target's limit of failed authentications. */
const compared = ['made-up', 'altered', 'revoked', 'access-token', 'api-key'];

const likeRefusals = operations
  .map(({ refused, ...operation }) => ({ ...operation, kinds: refused.filter(({ name }) => compared.includes(name)) }))
  .map(({ name, kinds, request }) =>
    ruleCheck({
      id: `D22.${name}`,
      title: `${name.replaceAll('-', ' ')} returns the same response for every refused credential`,
      rules: ['D22'],
      needs: [...new Set(kinds.flatMap(({ needs }) => needs))],
      failsToAuthenticate: 'once',
      run: async (context) => {
        const texts = new Set<string>();
        for (const presented of kinds) {
          const { status, text, headers } = await context.call(presenting(context, presented, request(context)));
          texts.add(`${status} ${text} ${headers['www-authenticate'] ?? ''}`);
        }
        expectThat(texts.size === 1, 'the same 401 for every credential', shown([...texts]));
      },
    }),
  );

export const authenticationChecks: readonly Check[] = [
  ...refusedChecks,
  ...codeChecks,
  ...likeRefusals,
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
    id: 'D23.scheme-in-lower-case',
    title: 'the authentication scheme is case-insensitive (RFC 9110, section 11.1)',
    rules: ['D23'],
    needs: ['access_token', 'case_id'],
    run: async (context) => {
      const token = context.credential('access_token');
      const request = readCase(context.credential('case_id'), ['Authorization', `bearer ${token}`]);
      expectResponse(await context.call(request), 'reading a case with the scheme bearer in lower case', 200);
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
];

function presenting(context: CheckContext, { headers, query }: Presented, request: RequestSpec): RequestSpec {
  return {
    ...request,
    path: request.path + (query?.(context) ?? ''),
    headers: [...(request.headers ?? []), ...headers(context)],
  };
}
