import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { startHarness } from '../../support/harness.ts';
import { echo, otherApi, received } from '../../support/other-api.ts';
import { overrideStore } from '../../support/override-store.ts';
import { addAccessToken, addApiKey, addOrganisation } from '../../support/tenants.ts';

const [apiKey, accessToken] = [{ apiKey: [] }, { accessToken: [] }];
const operation = (name: string, security: object[]) => ({
  path: `/${name}`,
  described: { security, 'x-required-permission': null, 'x-required-feature': null },
  handler: echo,
});

let lookUps = 0;
const { store, server } = await startHarness({
  rateLimits: { publicRequests: 50, failedAuthentications: 60 },
  wrapStore: (wrapped) =>
    overrideStore(wrapped, {
      findCredential: (...secret) => {
        lookUps += 1;
        return wrapped.findCredential(...secret);
      },
    }),
  api: otherApi({
    anybody: operation('public', []),
    either: operation('either', [apiKey, accessToken]),
    both: operation('both', [{ ...apiKey, ...accessToken }]),
    bothOrToken: operation('both-or-token', [{ ...apiKey, ...accessToken }, accessToken]),
  }),
});
const organisations = [await addOrganisation(store), await addOrganisation(store)];
const keys = await Promise.all(organisations.map((organisation) => addApiKey(store, organisation, 'owner')));
const tokens = await Promise.all(organisations.map((organisation) => addAccessToken(store, organisation)));

/** Calls an operation with the key and the token of these organisations; -1 stands for one that is not valid. */
async function call(path: string, key?: number, token?: number) {
  const headers: Record<string, string> = {};
  if (key !== undefined) headers['x-api-key'] = keys[key] ?? 'nonsense';
  if (token !== undefined) headers['authorization'] = `Bearer ${tokens[token] ?? 'nonsense'}`;
  const { status, body, headers: told } = await received(supertest(server).get(path).set(headers));
  const { organisation } = body as { organisation?: string };
  const index = organisation === undefined ? undefined : organisations.indexOf(organisation);
  return { status, headers: told, organisation: index };
}

test.each([
  ['/either', 0, undefined, 200, 0],
  ['/either', undefined, 1, 200, 1],
  ['/either', 0, 1, 200, 0],
  ['/either', -1, 1, 200, 1],
  ['/either', -1, -1, 401, undefined],
  ['/either', undefined, undefined, 401, undefined],
  ['/both', 0, 0, 200, 0],
  ['/both', 0, 1, 401, undefined],
  ['/both', 0, undefined, 401, undefined],
  ['/both', undefined, 0, 401, undefined],
  ['/both', 0, -1, 401, undefined],
  ['/both', -1, 0, 401, undefined],
  ['/both-or-token', 0, 0, 200, 0],
  ['/both-or-token', 0, 1, 200, 1],
  ['/both-or-token', 0, undefined, 401, undefined],
])('who is let in: %s with the key of %p and the token of %p', async (path, key, token, status, organisation) => {
  expect(await call(path, key, token)).toMatchObject({ status, organisation });
});

test('a 401 challenges for each scheme', async () => {
  const { headers } = await call('/either', undefined, -1);
  const realm = 'realm="document-analysis-uk"';
  expect(headers['www-authenticate']).toBe(`ApiKey ${realm}, Bearer ${realm}, error="invalid_token"`);
});

test('a public operation serves everybody without looking a credential up', async () => {
  lookUps = 0;
  for (const key of [undefined, 0, -1])
    expect(await call('/public', key, key)).toMatchObject({ status: 200, organisation: undefined });
  expect(lookUps).toBe(0);
});

test('a public operation has a limit of its own by address, and spends no failed authentication', async () => {
  const before = await call('/either');
  const spent = [];
  for (let index = 0; index < 50; index += 1) spent.push((await call('/public', -1)).status);
  const { status, headers } = await call('/public');
  expect([status, headers]).toMatchObject([
    429,
    { 'ratelimit-policy': '"public";q=50;w=60', ratelimit: expect.stringMatching(/^"public";r=0;t=\d+$/) },
  ]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const remaining = ({ headers: told }: typeof before) => Number(/r=(\d+)/.exec(String(told['ratelimit']))?.[1]);
  expect(remaining(before) - remaining(await call('/either'))).toBe(1);
  expect((await call('/either', 0)).status).toBe(200);
});
