/** Rights that are withdrawn while an operation is in flight: what it writes then is refused as a new request would be. */
import { beforeEach, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signToken } from '../../support/issuer.ts';
import { otherApi, received } from '../../support/other-api.ts';
import { type ProviderHarness, startProviderHarness } from '../../support/provider-harness.ts';
import { addCredential, setFeature } from '../../support/tenants.ts';

const [apiKey, accessToken] = [{ apiKey: [] }, { accessToken: [] }];
const operation = (path: string, method: 'put' | 'post' | 'delete', security: object[], permission: string | null) => ({
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

/** An operation for the credentials of the operator, of an identity provider, and for both together. */
const operations = {
  byKey: operation('/by-key', 'put', [apiKey], 'organisation_settings:write'),
  byToken: operation('/by-token', 'post', [accessToken], null),
  byBoth: operation('/by-both', 'delete', [{ ...apiKey, ...accessToken }], null),
};
const server: ProviderHarness = await startProviderHarness({ api: otherApi(operations) });
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
const forbidden = [403, 'request.forbidden'];
const withoutFeature = [403, 'request.organisations.feature-flag.not-enabled'];
const locked = async () => (await store.findCase(server.organisationId, caseId))?.locked_at !== null;

async function call({ method, path }: (typeof operations)[keyof typeof operations]) {
  const bearer = path === '/by-token' ? signToken(server.claims(), server.key) : token.secret;
  const sent = supertest(server.api.server)[method](path).set({ 'x-api-key': key.secret });
  const { status, body, headers } = await received(sent.set({ authorization: `Bearer ${bearer}` }));
  return { outcome: [status, (body as { error_code?: string }).error_code], headers };
}

test.each<[by: keyof typeof operations, what: string, happens: () => unknown, expected: unknown[]]>([
  ['byKey', 'its key is revoked', () => revoke(key), unauthenticated],
  ['byKey', 'its key expires', setClock(minutesOn(5)), unauthenticated],
  ['byKey', 'its role loses the permission', withdrawPermission, forbidden],
  ['byKey', 'its organisation loses the feature', withdrawFeature, withoutFeature],
  ['byKey', 'both are lost', () => Promise.all([withdrawPermission(), withdrawFeature()]), forbidden],
  ['byBoth', 'the key is revoked', () => revoke(key), unauthenticated],
  ['byBoth', 'the token is revoked', () => revoke(token), unauthenticated],
  ['byToken', 'its five minutes and the allowed skew are over', setClock(minutesOn(5, 30)), unauthenticated],
  ['byToken', 'its organisation loses the feature', withdrawFeature, withoutFeature],
])('nothing is written %s if %s', async (by, _, happens, expected) => {
  withdraw = happens;
  const { outcome, headers } = await call(operations[by]);
  expect([outcome, await locked()]).toEqual([expected, false]);
  if (expected === unauthenticated && by === 'byKey')
    expect(headers['www-authenticate']).toBe('ApiKey realm="document-analysis-uk"');
});

test.each([
  ['byKey', minutesOn(4, 59)],
  ['byBoth', minutesOn(4, 59)],
  ['byToken', minutesOn(5, 29)],
] as const)('what still is allowed is written: %s', async (by, time) => {
  withdraw = setClock(time);
  expect((await call(operations[by])).outcome).toEqual([200, undefined]);
  expect(await locked()).toBe(true);
});
