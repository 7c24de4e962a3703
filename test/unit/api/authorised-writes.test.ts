/** Rights that are withdrawn while an operation is in flight: what it writes then is refused as a new request would be. */
import { beforeEach, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signToken } from '../../support/issuer.ts';
import { otherApi, received } from '../../support/other-api.ts';
import { type ProviderHarness, startProviderHarness } from '../../support/provider-harness.ts';
import { addCredential, setFeature } from '../../support/tenants.ts';

const [apiKey, accessToken] = [{ apiKey: [] }, { accessToken: [] }];
const operation = (path: string, method: string, security: object[], permission: string | null) => ({
  path,
  method,
  described: { security, 'x-required-permission': permission, 'x-required-feature': 'verification' },
  handler: async (_request: unknown, { store }: { store: Pick<ProviderHarness['api']['store'], 'lockCase'> }) => {
    await withdraw();
    await store.lockCase(caseId, '2026-03-02T12:00:00.000Z');
    return { status: 200, body: {} };
  },
});

/** What happens between the checks of the request and its write. */
let withdraw: () => unknown;
let caseId: string;
let key: { secret: string; credentialId: string };
let token: typeof key;

const server: ProviderHarness = await startProviderHarness({
  api: otherApi({
    byKey: operation('/by-key', 'put', [apiKey], 'organisation_settings:write'),
    byToken: operation('/by-token', 'post', [accessToken], null),
    byBoth: operation('/by-both', 'delete', [{ ...apiKey, ...accessToken }], null),
  }),
});
const { store } = server.api;

const start = server.clock;
const minutesOn = (minutes: number, seconds = 0) => new Date(start.getTime() + minutes * 60_000 + seconds * 1000);

beforeEach(async () => {
  server.clock = start;
  withdraw = () => undefined;
  caseId = (await store.listCases({ limit: 1 }))[0]?.case_id ?? '';
  await store.unlockCase(caseId, '2026-03-02T12:00:00.000Z');
  await setFeature(store, server.organisationId, true);
  await store.setPermission('owner', 'organisation_settings:write', true);
  const expires = { expires_at: minutesOn(5).toISOString() };
  key = await addCredential(store, server.organisationId, { kind: 'api-key', role: 'owner', ...expires });
  token = await addCredential(store, server.organisationId, { kind: 'access-token', role: null, ...expires });
});

const revoke = ({ credentialId }: typeof key) => store.revokeCredential(credentialId, start.toISOString());
const setClock = (time: Date) => () => (server.clock = time);
const withdrawFeature = () => setFeature(store, server.organisationId, false);
const withdrawPermission = () => store.setPermission('owner', 'organisation_settings:write', false);
const unauthenticated = [401, 'request.authentication.invalid-token'];
const withoutFeature = [403, 'request.organisations.feature-flag.not-enabled'];
const locked = async () => (await store.findCase(server.organisationId, caseId))?.locked_at !== null;

async function call(method: 'put' | 'post' | 'delete', path: string, bearer = token.secret) {
  const sent = supertest(server.api.server)[method](path).set({ 'x-api-key': key.secret });
  const { status, body, headers } = await received(sent.set({ authorization: `Bearer ${bearer}` }));
  return { outcome: [status, (body as { error_code?: string }).error_code], headers };
}

test.each([
  ['its key is revoked', () => revoke(key), unauthenticated],
  ['its key expires', setClock(minutesOn(5)), unauthenticated],
  ['its role loses the permission', withdrawPermission, [403, 'request.forbidden']],
  ['its organisation loses the feature', withdrawFeature, withoutFeature],
  ['both are lost', () => Promise.all([withdrawPermission(), withdrawFeature()]), [403, 'request.forbidden']],
])('nothing is written if %s', async (_, happens, expected) => {
  withdraw = happens;
  const { outcome, headers } = await call('put', '/by-key');
  expect([outcome, await locked()]).toEqual([expected, false]);
  if (expected[0] === 401) expect(headers['www-authenticate']).toBe('ApiKey realm="document-analysis-uk"');
});

test.each([
  ['the key', () => revoke(key)],
  ['the token', () => revoke(token)],
])('nothing is written if %s is revoked of an operation that needs both', async (_, happens) => {
  withdraw = happens;
  const { outcome } = await call('delete', '/by-both');
  expect([outcome, await locked()]).toEqual([unauthenticated, false]);
});

test.each([
  ['its five minutes and the allowed skew are over', setClock(minutesOn(5, 30)), unauthenticated],
  ['its organisation loses the feature', withdrawFeature, withoutFeature],
])("nothing is written for an identity provider's token if %s", async (_, happens, expected) => {
  withdraw = happens;
  const { outcome } = await call('post', '/by-token', signToken(server.claims(), server.key));
  expect([outcome, await locked()]).toEqual([expected, false]);
});

test.each([
  ['put', '/by-key', minutesOn(4, 59), undefined],
  ['delete', '/by-both', minutesOn(4, 59), undefined],
  ['post', '/by-token', minutesOn(5, 29), () => signToken(server.claims(), server.key)],
] as const)('what still is allowed is written: %s %s', async (method, path, time, bearer) => {
  const credential = bearer?.();
  withdraw = setClock(time);
  expect((await call(method, path, credential)).outcome).toEqual([200, undefined]);
  expect(await locked()).toBe(true);
});
