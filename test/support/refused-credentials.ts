import { expect, test } from '@jest/globals';
import type { Credential } from '../../src/domain/credential.ts';
import type { Region } from '../../src/domain/region.ts';
import { type CredentialKind, generateSecret } from '../../src/domain/secret.ts';
import type { Harness } from './harness.ts';
import { addCredential, addOrganisation } from './tenants.ts';

interface ProtectedOperation {
  kind: CredentialKind;
  /** Calls the operation with these headers. */
  call: (headers: Record<string, string>) => ReturnType<Harness['call']>;
  /** The header that presents a secret in the operation's own scheme. */
  present: (secret: string) => Record<string, string>;
}

const invalidToken = {
  error_code: 'request.authentication.invalid-token',
  error_message: 'The credential is missing or not valid.',
};

/** Tests that hold for the 401 of every operation. */
export function testRefusedCredentials(api: Harness, { kind, call, present }: ProtectedOperation): void {
  const otherKind = kind === 'api-key' ? 'access-token' : 'api-key';
  const credential = { kind, role: kind === 'api-key' ? 'owner' : null };
  const otherCredential = { kind: otherKind, role: kind === 'api-key' ? null : 'owner' } as const;
  const issue = async (overrides: Partial<Credential> = {}, region: Region = 'uk') => {
    const organisation = await addOrganisation(api.store);
    return (await addCredential(api.store, organisation, { ...credential, ...overrides }, region)).secret;
  };

  const refused: Record<string, () => Promise<Record<string, string>> | Record<string, string>> = {
    'no credential': () => ({}),
    'an empty credential': () => present(''),
    'a credential of no known form': () => present('not-a-secret'),
    'a well-formed credential that was never issued': () => present(generateSecret(kind, 'uk')),
    'a credential with one letter changed': async () =>
      present((await issue()).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))),
    'a credential with something added': async () => present(`${await issue()}x`),
    'an expired credential': async () => present(await issue({ expires_at: '2026-01-02T00:00:00.000Z' })),
    'a revoked credential': async () => present(await issue({ revoked_at: '2026-01-02T00:00:00.000Z' })),
    'a credential of the other region': async () => present(await issue({}, 'ca')),
    'a credential of the other kind': async () =>
      present((await addCredential(api.store, await addOrganisation(api.store), otherCredential)).secret),
  };

  test.each(Object.entries(refused))('refuses %s', async (_name, headers) => {
    const response = await call(await headers());
    expect([response.status, response.body]).toEqual([401, invalidToken]);
  });

  test('accepts a credential until the moment of its revocation', async () => {
    const { secret, credentialId } = await addCredential(api.store, await addOrganisation(api.store), credential);
    expect((await call(present(secret))).status).not.toBe(401);
    await api.store.revokeCredential(credentialId, '2026-01-02T00:00:00.000Z');
    expect((await call(present(secret))).status).toBe(401);
  });

  test('says the same of every credential that it refuses', async () => {
    const refusals = new Set<string>();
    for (const [name, headers] of Object.entries(refused)) {
      if (name === 'no credential') continue;
      const { text, headers: received } = await call(await headers());
      refusals.add(`${text} ${String(received['www-authenticate'])}`);
    }
    expect(refusals.size).toBe(1);
  });
}
