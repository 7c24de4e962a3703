/** What must stand in an access token (RFC 9068, section 2.2), and when it is valid. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Claims, signToken } from '../support/issuer.ts';
import { overrideStore } from '../support/override-store.ts';
import { type ProviderHarness, startProviderHarness } from '../support/provider-harness.ts';
import { addOrganisation } from '../support/tenants.ts';

const asked: string[] = [];
const server = await startProviderHarness({
  wrapStore: (store) =>
    overrideStore(store, {
      findFeatures: (organisationId) => {
        asked.push(organisationId);
        return store.findFeatures(organisationId);
      },
    }),
});

const status = async (claims: Claims) => (await server.callWith(claims)).status;
const { audience, issuer } = server.issuer.provider;

describe('a token is accepted', () => {
  test.each<[string, () => Claims]>([
    ['with the claims of RFC 9068 and no other', () => ({})],
    ['for several audiences, of which one is this service', () => ({ aud: ['https://other.example', audience] })],
    ['with claims that nobody here knows', () => ({ scope: 'admin', permissions: ['*'], cnf: {} })],
    ['whose organisation is written in capitals', () => ({ organisation_id: server.organisationId.toUpperCase() })],
  ])('%s', async (_name, claims) => {
    expect(await status(claims())).toBe(200);
    expect(asked).toContain(server.organisationId);
  });

  test.each(['at+jwt', 'application/at+jwt', 'AT+JWT'])('of the type %s', async (typ) => {
    expect((await server.call(signToken(server.claims(), server.key, { typ }))).status).toBe(200);
  });
});

describe('a token is refused', () => {
  const refused: Record<string, () => Claims> = {
    'of another issuer': () => ({ iss: 'https://login.example' }),
    'whose issuer has a slash more': () => ({ iss: `${issuer}/` }),
    'whose issuer is written in other letters': () => ({ iss: issuer.toUpperCase() }),
    'whose issuer is a list with the right one': () => ({ iss: [issuer] }),
    'for another audience': () => ({ aud: 'https://api.ca.document-analysis.example' }),
    'for an audience that starts like this service': () => ({ aud: `${audience}.evil.example` }),
    'for no audience': () => ({ aud: [] }),
    'for an audience in a list in a list': () => ({ aud: [[audience]] }),
    'whose organisation does not exist': () => ({ organisation_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' }),
    'whose organisation is a list': () => ({ organisation_id: [server.organisationId] }),
    'whose organisation is null': () => ({ organisation_id: null }),
    'whose organisation is empty': () => ({ organisation_id: '' }),
    'whose organisation is no UUID': () => ({ organisation_id: "x' OR 1=1 --" }),
    'whose organisation has a line end after it': () => ({ organisation_id: `${server.organisationId}\n` }),
    'whose organisation has a zero byte after it': () => ({ organisation_id: `${server.organisationId}\0` }),
    'whose organisation has a hidden letter': () => ({ organisation_id: `${server.organisationId}\u200b` }),
    'whose organisation stands in another claim': () => ({ organisation_id: undefined, org: server.organisationId }),
    'whose subject is a number': () => ({ sub: 1 }),
    'whose subject is empty': () => ({ sub: '' }),
    'whose client is a list': () => ({ client_id: ['client-1'] }),
    'whose client is empty': () => ({ client_id: '' }),
    'whose time of issue is a text': () => ({ iat: '0' }),
    'whose expiry is a text': () => ({ exp: '9999999999' }),
    'whose expiry is null': () => ({ exp: null }),
  };

  test.each(Object.entries(refused))('%s, before the store is asked for anything but a UUID', async (_name, claims) => {
    asked.splice(0);
    expect(await status(claims())).toBe(401);
    expect(asked.filter((organisationId) => !/^[0-9a-f-]{36}$/.test(organisationId))).toEqual([]);
  });

  test.each(['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti', 'organisation_id'])('without %s', async (claim) => {
    expect(await status({ [claim]: undefined })).toBe(401);
  });

  test('whose claim stands in its prototype', async () => {
    const { organisation_id: organisation, ...claims } = server.claims();
    const text = `{"__proto__":{"organisation_id":"${String(organisation)}"},${JSON.stringify(claims).slice(1)}`;
    expect((await server.call(signToken(text, server.key))).status).toBe(401);
  });

  test('by the last of a claim that is given twice', async () => {
    const claims = JSON.stringify(server.claims({ aud: undefined })).slice(1, -1);
    const twice = (first: string, last: string) =>
      signToken(`{"aud":"${first}",${claims},"aud":"${last}"}`, server.key);
    expect((await server.call(twice(audience, 'https://other.example'))).status).toBe(401);
    expect((await server.call(twice('https://other.example', audience))).status).toBe(200);
  });
});

test.each<[string, (now: number) => Claims, number]>([
  ['expired 29 seconds ago', (now) => ({ exp: now - 29 }), 200],
  ['expired 30 seconds ago', (now) => ({ exp: now - 30 }), 401],
  ['valid in 30 seconds', (now) => ({ nbf: now + 30 }), 200],
  ['valid in 31 seconds', (now) => ({ nbf: now + 31 }), 401],
])('the clocks may differ by the clock skew, to the second: %s', async (_name, claims, expected) => {
  expect(await status(claims(server.clock.getTime() / 1000))).toBe(expected);
});

test('the organisation claim is the configured one, also if its name is a URL', async () => {
  const name = 'https://login.example/organisation';
  const other = await startProviderHarness({ provider: { organisationClaim: name } });
  expect((await other.callWith({ [name]: other.organisationId, organisation_id: undefined })).status).toBe(200);
  expect((await other.callWith()).status).toBe(401);
});

describe('the rate limits and the log', () => {
  let server: ProviderHarness;

  beforeEach(async () => {
    server = await startProviderHarness({ rateLimits: { requests: 2, failedAuthentications: 3 } });
  });

  test('all tokens of one client and subject for one organisation share a limit', async () => {
    const responses = [await server.callWith(), await server.callWith(), await server.callWith()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
  });

  test.each<[string, () => Promise<Claims>, number]>([
    ['another subject', () => Promise.resolve({ sub: 'another' }), 200],
    ['another client', () => Promise.resolve({ client_id: 'another' }), 200],
    ['another organisation', async () => ({ organisation_id: await addOrganisation(server.api.store) }), 404],
  ])('tokens of %s have a limit of their own', async (_, claims, status) => {
    for (let index = 0; index < 3; index += 1) await server.callWith();
    expect((await server.callWith(await claims())).status).toBe(status);
  });

  test('the log names the bearer by what nobody can read, and always the same', async () => {
    const claims = server.claims({ sub: 'jane.doe@client.example' });
    const token = signToken(claims, server.key);
    await server.call(token);
    await server.call(signToken({ ...claims, jti: 'another' }, server.key));
    const log = server.api.log.join('');
    const names = [...log.matchAll(/"credentialId":"([^"]+)"/g)].map(([, name]) => name);
    expect(names).toEqual([expect.stringMatching(/^jwt_[\w-]{43}$/), names[0]]);
    expect(log).not.toContain('jane.doe');
    for (const part of token.split('.')) expect(log).not.toContain(part);
  });
});
