/** How the rate limits and the log name the bearer of a token. */
import { beforeEach, expect, test } from '@jest/globals';
import { type Claims, signToken } from '../support/issuer.ts';
import { type ProviderHarness, startProviderHarness } from '../support/provider-harness.ts';
import { addOrganisation } from '../support/tenants.ts';

let server: ProviderHarness;

beforeEach(async () => {
  server = await startProviderHarness({ rateLimits: { requests: 2, failedAuthentications: 3 } });
});

test('all tokens of one client and subject for one organisation share a limit', async () => {
  const statuses = [await server.callWith(), await server.callWith(), await server.callWith()].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([200, 200, 429]);
});

test.each<[string, () => Promise<Claims>, number]>([
  ['another subject', () => Promise.resolve({ sub: 'another' }), 200],
  ['another client', () => Promise.resolve({ client_id: 'another' }), 200],
  ['another organisation', async () => ({ organisation_id: await addOrganisation(server.api.store) }), 404],
])('tokens of %s have a limit of their own', async (_, claims, status) => {
  for (let index = 0; index < 3; index += 1) await server.callWith();
  expect((await server.callWith(await claims())).status).toBe(status);
});

test('a refused token counts against the address, which stays open to valid ones', async () => {
  const expired = () => server.callWith({ exp: 1 });
  const statuses = [await expired(), await expired(), await expired(), await expired()].map(({ status }) => status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await server.callWith()).status).toBe(200);
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
