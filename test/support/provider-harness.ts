import type { IdentityProvider } from '../../src/identity-provider/settings.ts';
import { type CallResponse, type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { type Claims, type Issuer, type IssuerKey, makeKey, signToken, startIssuer } from './issuer.ts';
import { addCase, addOrganisation } from './tenants.ts';

/** A server that accepts the tokens of an issuer, with an organisation that has a case. */
export interface ProviderHarness {
  readonly api: Harness;
  readonly issuer: Issuer;
  /** The first of the issuer's keys. */
  readonly key: IssuerKey;
  readonly organisationId: string;
  /** The server's clock; a test may set it. */
  clock: Date;
  /** Claims that are valid now, with these further or other ones; one that is undefined is left out. */
  claims(overrides?: Claims): Claims;
  /** Reads the case with a token. */
  call(token: string): Promise<CallResponse>;
  /** Reads the case with a token of these claims, signed by the first key. */
  callWith(claims?: Claims): Promise<CallResponse>;
}

/** Starts an issuer with these keys, and a server that accepts its tokens. */
export async function startProviderHarness({
  keys = [makeKey('RS256')],
  provider = {},
  ...options
}: { keys?: IssuerKey[]; provider?: Partial<IdentityProvider> } & HarnessOptions = {}): Promise<ProviderHarness> {
  const issuer = await startIssuer(keys, provider);
  const key = keys[0] ?? makeKey('RS256');
  const api = await startHarness({ identityProvider: issuer.provider, now: () => harness.clock, ...options });
  const organisationId = await addOrganisation(api.store);
  const path = `/cases/${await addCase(api.store, organisationId)}`;
  const harness: ProviderHarness = {
    api,
    issuer,
    key,
    organisationId,
    clock: new Date('2026-03-02T12:00:00.000Z'),
    claims: (overrides) => ({ ...issuer.claims(organisationId, harness.clock), ...overrides }),
    call: (token) => api.call('GET', path, { headers: { authorization: `Bearer ${token}` } }),
    callWith: (overrides) => harness.call(signToken(harness.claims(overrides), key)),
  };
  return harness;
}
