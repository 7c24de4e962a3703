import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Credential, hashSecret } from '../../../src/domain/credential.ts';
import type { Organisation } from '../../../src/domain/organisation.ts';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation, setFeature } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

const token = { kind: 'access-token', role: null } as const;

/** Organisations, their credentials, and the roles of these. */
export function describeAccess(store: () => Store): void {
  const add = async (credential: Partial<Credential> = token, organisationId?: string) =>
    addCredential(store(), organisationId ?? (await addOrganisation(store())), { ...token, ...credential });

  describe('organisations', () => {
    const build = (overrides: Partial<Organisation> = {}): Organisation => ({
      organisation_id: randomUUID(),
      name: 'Acme Ltd',
      created_at: at,
      features: ['verification'],
      verification_enabled: false,
      ...overrides,
    });

    test('are listed as they were created, the oldest first', async () => {
      const second = build({ name: 'Second', created_at: later, features: [], verification_enabled: true });
      const first = build();
      await store().createOrganisation(second);
      await store().createOrganisation(first);
      expect(await store().listOrganisations()).toEqual([first, second]);
    });

    test('cannot share a name or an identifier, and a refused one leaves nothing behind', async () => {
      const first = build();
      await store().createOrganisation(first);
      for (const refused of [build({ features: [] }), { ...first, name: 'Another' }])
        await expect(store().createOrganisation(refused)).rejects.toThrow(ConflictError);
      expect(await store().listOrganisations()).toEqual([first]);
    });

    test('are given features and lose them, any number of times, and are found with them only if they exist', async () => {
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
  });

  describe('roles', () => {
    test('gain and lose a permission for the credentials that exist', async () => {
      const { secret } = await add({ kind: 'api-key', role: 'viewer' });
      for (const granted of [true, true, false]) {
        await store().setPermission('viewer', 'organisation_settings:read', granted);
        const permissions = granted ? ['organisation_settings:read'] : [];
        expect(await store().findCredential(hashSecret(secret))).toMatchObject({ permissions });
      }
      await expect(store().setPermission('boss', 'a:b', true)).rejects.toThrow(new NotFoundError('role', 'boss'));
    });
  });

  describe('credentials', () => {
    /** As it is stored, of an organisation. */
    const keyOf = (organisationId: string, more: Partial<Credential> = {}) => ({
      ...{ organisation_id: organisationId, kind: 'api-key', role: 'owner', created_at: at, revoked_at: null },
      expires_at: later,
      ...more,
    });

    test('need an organisation and a role that exist', async () => {
      await expect(add(token, unknown)).rejects.toThrow(new NotFoundError('organisation', unknown));
      await expect(add({ kind: 'api-key', role: 'boss' })).rejects.toThrow(new NotFoundError('role', 'boss'));
      expect(await store().listCredentials()).toEqual([]);
    });

    test('are listed without secrets, of one organisation or of all, the oldest first', async () => {
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

    test('are replaced by a successor that takes over all but secret, identifier and age', async () => {
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

    test('are not revoked if their successor cannot be added', async () => {
      const [one, two] = [await add(), await add()];
      const successor = { credentialId: two.credentialId, secretSha256: hashSecret('new'), at };
      await expect(store().replaceCredential(one.credentialId, successor)).rejects.toThrow();
      expect(await store().readCredential(one.credentialId)).toMatchObject({ revoked_at: null });
    });

    test('an unknown one is neither read, replaced nor revoked', async () => {
      const error = new NotFoundError('credential', unknown);
      const successor = { credentialId: randomUUID(), secretSha256: hashSecret('new'), at };
      await expect(store().readCredential(unknown)).rejects.toThrow(error);
      await expect(store().replaceCredential(unknown, successor)).rejects.toThrow(error);
      await expect(store().revokeCredential(unknown, at)).rejects.toThrow(error);
    });
  });

  const expiring = async (expiresAt: string | null = null) => (await add({ expires_at: expiresAt })).credentialId;

  test('the last use of a credential is the latest that any server has noted; an unknown one is left out', async () => {
    const [one, other, unused] = [await expiring(), await expiring(), await expiring()];
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

  test('credentials that expire are listed by their expiry, of a period, up to a limit, unless they are revoked', async () => {
    const times = ['2026-03-02T12:00:00.000Z', '2026-03-02T12:30:00.000Z', '2026-03-02T13:00:00.001Z'];
    const [, second, third] = [await expiring(times[0]), await expiring(times[1]), await expiring(times[2])];
    const first = await expiring('2026-03-02T12:00:00.001Z');
    const revoked = await expiring(times[1]);
    await store().revokeCredential(revoked, at);
    await expiring();
    const list = (until: string, limit = 10) => store().listExpiringCredentials({ from: at, until, limit });
    const listed = async (until: string) => (await list(until)).map(({ credential_id: id }) => id);
    expect(await listed(later)).toEqual([first, second]);
    expect(await listed('9999-12-31T23:59:59.999Z')).toEqual([first, second, third]);
    expect(await list(later, 1)).toEqual([await store().readCredential(first)]);
  });
}
