import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Credential, hashSecret } from '../../../src/domain/credential.ts';
import type { Organisation } from '../../../src/domain/organisation.ts';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation, setFeature } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

const token = { kind: 'access-token', role: null } as const;

/** Organisations and their credentials. */
export function describeAccess(store: () => Store): void {
  const add = async (credential: Partial<Credential> = token, organisationId?: string) =>
    addCredential(store(), organisationId ?? (await addOrganisation(store())), { ...token, ...credential });

  const build = (overrides: Partial<Organisation> = {}): Organisation => ({
    organisation_id: randomUUID(),
    name: 'Acme Ltd',
    created_at: at,
    features: ['verification'],
    verification_enabled: false,
    ...overrides,
  });

  test('organisations are listed as they were created, the oldest first', async () => {
    const second = build({ name: 'Second', created_at: later, features: [], verification_enabled: true });
    const first = build();
    await store().createOrganisation(second);
    await store().createOrganisation(first);
    expect(await store().listOrganisations()).toEqual([first, second]);
  });

  test('organisations cannot share a name or an identifier, and a refused one leaves nothing behind', async () => {
    const first = build();
    await store().createOrganisation(first);
    for (const refused of [build({ features: [] }), { ...first, name: 'Another' }])
      await expect(store().createOrganisation(refused)).rejects.toThrow(ConflictError);
    expect(await store().listOrganisations()).toEqual([first]);
  });

  test('organisations are given features and lose them, any number of times, and are found with them only if they exist', async () => {
    const id = await addOrganisation(store(), []);
    for (const enabled of [true, true, false, false]) {
      await setFeature(store(), id, enabled);
      const features = enabled ? ['verification'] : [];
      expect((await store().listOrganisations())[0]?.features).toEqual(features);
      expect(await store().findFeatures(id)).toEqual(features);
    }
    expect(await store().findFeatures(unknown)).toBeUndefined();
    await expect(setFeature(store(), unknown, true)).rejects.toThrow(new NotFoundError('organisation', unknown));
  });

  /** As it is stored, of an organisation. */
  const keyOf = (organisationId: string, more: Partial<Credential> = {}) => ({
    ...{ organisation_id: organisationId, kind: 'api-key', role: 'owner', created_at: at, revoked_at: null },
    expires_at: later,
    ...more,
  });

  test('credentials are listed without secrets, of one organisation or of all, the oldest first', async () => {
    const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
    const second = await add({ created_at: later }, one);
    const first = await add({ kind: 'api-key', role: 'member', created_at: at }, one);
    const foreign = await add({ kind: 'api-key', role: 'owner', created_at: '2026-01-01T00:00:00.000Z' }, other);
    const ids = (list: { credential_id: string }[]) => list.map(({ credential_id: id }) => id);
    const listed = await store().listCredentials(one);
    const [oldest, own] = [foreign.credentialId, [first.credentialId, second.credentialId]];
    expect(ids(listed)).toEqual(own);
    const member = keyOf(one, { credential_id: first.credentialId, role: 'member', expires_at: null });
    expect(listed[0]).toEqual({ ...member, last_used_at: null });
    expect(ids(await store().listCredentials())).toEqual([oldest, ...own]);
  });

  test('credentials are replaced by a successor that takes over all but secret, identifier and age', async () => {
    const organisationId = await addOrganisation(store());
    const old = await add({ kind: 'api-key', role: 'owner', expires_at: later }, organisationId);
    const credentialId = randomUUID();
    const secretSha256 = hashSecret('new');
    const successor = await store().replaceCredential(old.credentialId, { credentialId, secretSha256, at });
    expect(successor).toEqual(keyOf(organisationId, { credential_id: credentialId }));
    expect(await store().readCredential(credentialId)).toEqual(successor);
    expect(await store().findCredential(secretSha256)).toMatchObject({ credential_id: credentialId });
    // The moment of the first revocation is kept.
    await store().revokeCredential(old.credentialId, later);
    expect(await store().readCredential(old.credentialId)).toMatchObject({ revoked_at: at });
    const again = { credentialId: randomUUID(), secretSha256: hashSecret('newer'), at };
    await expect(store().replaceCredential(old.credentialId, again)).rejects.toThrow(ConflictError);
    expect(await store().findCredential(again.secretSha256)).toBeUndefined();
  });

  test('credentials are not revoked if their successor cannot be added', async () => {
    const [one, two] = [await add(), await add()];
    const successor = { credentialId: two.credentialId, secretSha256: hashSecret('new'), at };
    await expect(store().replaceCredential(one.credentialId, successor)).rejects.toThrow();
    expect(await store().readCredential(one.credentialId)).toMatchObject({ revoked_at: null });
  });

  test('the last use of a credential is the latest that any server has noted; an unknown one is left out', async () => {
    const [one, other, unused] = [await add(), await add(), await add()].map(({ credentialId }) => credentialId) as [
      string,
      string,
      string,
    ];
    const note = (uses: Record<string, string>) =>
      store().noteCredentialUses(
        Object.entries(uses).map(([id, usedAt]) => ({ credential_id: id, last_used_at: usedAt })),
      );
    await note({ [one]: at, [other]: later });
    await Promise.all([note({ [one]: later, [other]: at }), note({ [other]: at, [unknown]: at, [one]: at })]);
    const listed = await store().listCredentials();
    const lastUses = listed.map(({ credential_id: id, last_used_at: usedAt }) => [id, usedAt]);
    expect(Object.fromEntries(lastUses)).toEqual({ [one]: later, [other]: later, [unused]: null });
  });

  test('credentials that expire are listed by their expiry, up to a limit', async () => {
    await add({ expires_at: '2026-03-02T14:00:00.000Z' });
    const { credentialId } = await add({ expires_at: later });
    const expiring = { from: at, until: '2026-03-02T14:00:00.000Z', limit: 1 };
    expect(await store().listExpiringCredentials(expiring)).toEqual([await store().readCredential(credentialId)]);
  });
}
