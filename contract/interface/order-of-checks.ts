import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { expectResponse } from './expect.ts';
import { apiKey, jsonType, readCase, settingPath, type Header, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

interface Order {
  readonly name: string;
  readonly needs: readonly CredentialName[];
  readonly status: number;
  readonly code: string;
  readonly rules?: readonly string[];
  readonly failsToAuthenticate?: Check['failsToAuthenticate'];
  readonly request: (context: CheckContext) => RequestSpec;
}

const faultyBodies: [name: string, headers: Header[], body: string][] = [
  ['malformed', [jsonType], '{'],
  ['invalid', [jsonType], '{"enabled":"no","extra":1}'],
  ['absent', [['Content-Length', '0']], ''],
  ['too-large', [jsonType], ' '.repeat(20_000)],
  ['of-another-type', [['Content-Type', 'text/plain']], 'enabled'],
];

const callers: [before: string, name: CredentialName | undefined, status: number, code: string][] = [
  ['credential', undefined, 401, 'request.authentication.invalid-token'],
  ['permission', 'member_key', 403, 'request.forbidden'],
  ['permission', 'viewer_key', 403, 'request.forbidden'],
  ['feature', 'feature_off_key', 403, 'request.organisations.feature-flag.not-enabled'],
];

const beforeBody: readonly Order[] = callers.flatMap(([before, name, status, code]) =>
  faultyBodies.map(([fault, headers, body]) => ({
    name: `${before}-of-${name?.replaceAll('_', '-') ?? 'nobody'}-before-${fault}-body`,
    needs: name === undefined ? [] : [name],
    ...(name === undefined && { failsToAuthenticate: 'variants' as const }),
    status,
    code,
    request: (context) => {
      const key = name === undefined ? [] : [apiKey(context.credential(name))];
      return { method: 'PUT', path: settingPath, headers: [...key, ...headers], body };
    },
  })),
);

const orders: readonly Order[] = [
  {
    name: 'path-before-credential',
    needs: [],
    status: 404,
    code: 'request.not-found',
    request: () => ({ method: 'PUT', path: '/no-such-path', headers: [jsonType], body: '{' }),
  },
  {
    name: 'method-before-credential',
    needs: [],
    status: 405,
    code: 'request.method-not-allowed',
    request: () => ({ method: 'POST', path: settingPath, headers: [jsonType], body: '{' }),
  },
  {
    name: 'method-before-permission',
    needs: ['viewer_key'],
    status: 405,
    code: 'request.method-not-allowed',
    request: (context) => ({
      method: 'DELETE',
      path: settingPath,
      headers: [apiKey(context.credential('viewer_key'))],
    }),
  },
  ...['x', unknownCaseId].map((id) => ({
    name: `credential-before-case-${id === 'x' ? 'that-is-no-uuid' : 'that-is-unknown'}`,
    needs: [],
    status: 401,
    code: 'request.authentication.invalid-token',
    failsToAuthenticate: id === 'x' ? ('variants' as const) : ('once' as const),
    request: () => readCase(id),
  })),
  ...beforeBody,
];

/** Decision D11, except for the rate limit. */
export const orderChecks: readonly Check[] = orders.map(({ name, needs, failsToAuthenticate, status, code, request }) =>
  ruleCheck({
    id: `D11.${name}`,
    title: name.replaceAll('-', ' '),
    rules: ['D11'],
    needs,
    ...(failsToAuthenticate && { failsToAuthenticate }),
    run: async (context) => {
      expectResponse(await context.call(request(context)), name.replaceAll('-', ' '), status, code);
    },
  }),
);
