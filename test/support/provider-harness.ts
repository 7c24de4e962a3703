import type { IdentityProvider } from '../../src/identity-provider/settings.ts';
import { type HarnessOptions, startHarness } from './harness.ts';
import { type Claims, type IssuerKey, makeKey, signToken, startIssuer } from './issuer.ts';
import { addCase, addOrganisation } from './tenants.ts';

export type ProviderHarness = Awaited<ReturnType<typeof startProviderHarness>>;

/** Starts an issuer with these keys, and a server that accepts its tokens, with an organisation that has a case. */
export async function startProviderHarness({
  keys = [makeKey('RS256')],
  provider = {},
  ...options
}: { keys?: IssuerKey[]; provider?: Partial<IdentityProvider> } & HarnessOptions = {}) {
  const issuer = await startIssuer(keys, provider);
  const key = keys[0] ?? makeKey('RS256');
  const api = await startHarness({ identityProvider: issuer.provider, now: () => harness.clock, ...options });
  const organisationId = await addOrganisation(api.store);
  const path = `/cases/${await addCase(api.store, organisationId)}`;
  const harness = {
    api,
    issuer,
    /** The first of the issuer's keys. */
    key,
    organisationId,
    /** The server's clock; a test may set it. */
    clock: new Date('2026-03-02T12:00:00.000Z'),
    /** Claims that are valid now, with these further or other ones; one that is undefined is left out. */
    claims: (overrides?: Claims): Claims => ({ ...issuer.claims(organisationId, harness.clock), ...overrides }),
    /** Reads the case with a token. */
    call: (token: string) => api.call('GET', path, { headers: { authorization: `Bearer ${token}` } }),
    /** Reads the case with a token of these claims, signed by the first key. */
    callWith: (overrides?: Claims) => harness.call(signToken(harness.claims(overrides), key)),
  };
  return harness;
}
