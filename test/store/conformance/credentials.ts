import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashSecret } from '../../../src/domain/secret.ts';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

export function describeCredentials(store: () => Store): void {
  describe('credentials', () => {
    test('are found by the hash of their secret, with the rights of role and organisation', async () => {
      const organisationId = await addOrganisation(store());
      const key = await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner', expires_at: later });
      const found = await store().findCredential(hashSecret(key.secret));
      expect({ ...found, secret_sha256: Buffer.from(found?.secret_sha256 ?? []), prefetched: undefined }).toEqual({
        credential_id: key.credentialId,
        organisation_id: organisationId,
        kind: 'api-key',
        expires_at: later,
        revoked_at: null,
        secret_sha256: hashSecret(key.secret),
        permissions: ['organisation_settings:read', 'organisation_settings:write'],
        features: ['verification'],
      });
    });

    test('an access token has no permissions of a role', async () => {
      const { secret } = await addCredential(store(), await addOrganisation(store(), []), {
        kind: 'access-token',
        role: null,
      });
      expect(await store().findCredential(hashSecret(secret))).toMatchObject({ permissions: [], features: [] });
    });

    test('an unknown hash finds nothing', async () => {
      expect(await store().findCredential(hashSecret('nothing'))).toBeUndefined();
    });

    test('need an organisation and a role that exist', async () => {
      const added = addCredential(store(), unknown, { kind: 'access-token', role: null });
      await expect(added).rejects.toThrow(new NotFoundError('organisation', unknown));
      const organisationId = await addOrganisation(store());
      const withRole = addCredential(store(), organisationId, { kind: 'api-key', role: 'boss' });
      await expect(withRole).rejects.toThrow(new NotFoundError('role', 'boss'));
      expect(await store().listCredentials()).toEqual([]);
    });

    test('are listed without secrets, of one organisation or of all, the oldest first', async () => {
      const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
      const second = await addCredential(store(), one, { kind: 'access-token', role: null, created_at: later });
      const first = await addCredential(store(), one, { kind: 'api-key', role: 'member', created_at: at });
      const foreign = await addCredential(store(), other, { kind: 'api-key', role: 'owner', created_at: at });
      const ids = (list: { credential_id: string }[]) => list.map(({ credential_id: id }) => id);
      const listed = await store().listCredentials(one);
      expect(ids(listed)).toEqual([first.credentialId, second.credentialId]);
      expect(listed[0]).toEqual({
        credential_id: first.credentialId,
        organisation_id: one,
        kind: 'api-key',
        role: 'member',
        created_at: at,
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
      });
      expect(ids(await store().listCredentials())).toEqual(
        expect.arrayContaining([first.credentialId, second.credentialId, foreign.credentialId]),
      );
    });

    test('keep the moment of their first revocation', async () => {
      const { credentialId } = await addCredential(store(), await addOrganisation(store()), {
        kind: 'access-token',
        role: null,
      });
      await store().revokeCredential(credentialId, at);
      await store().revokeCredential(credentialId, later);
      expect(await store().readCredential(credentialId)).toMatchObject({ revoked_at: at });
    });

    test('are replaced by a successor that takes over all but secret, identifier and age', async () => {
      const organisationId = await addOrganisation(store());
      const old = await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner', expires_at: later });
      const credentialId = randomUUID();
      const successor = await store().replaceCredential(old.credentialId, {
        credentialId,
        secretSha256: hashSecret('new'),
        at,
      });
      expect(successor).toEqual({
        credential_id: credentialId,
        organisation_id: organisationId,
        kind: 'api-key',
        role: 'owner',
        created_at: at,
        expires_at: later,
        revoked_at: null,
      });
      expect(await store().readCredential(credentialId)).toEqual(successor);
      expect(await store().readCredential(old.credentialId)).toMatchObject({ revoked_at: at });
      expect(await store().findCredential(hashSecret('new'))).toMatchObject({ credential_id: credentialId });
    });

    test('a revoked one has no successor, and a successor that cannot be added revokes nothing', async () => {
      const organisationId = await addOrganisation(store());
      const [one, two] = [
        await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner' }),
        await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner' }),
      ];
      const successor = { credentialId: two.credentialId, secretSha256: hashSecret('new'), at };
      await expect(store().replaceCredential(one.credentialId, successor)).rejects.toThrow();
      expect(await store().readCredential(one.credentialId)).toMatchObject({ revoked_at: null });
      await store().revokeCredential(one.credentialId, at);
      const again = store().replaceCredential(one.credentialId, { ...successor, credentialId: randomUUID() });
      await expect(again).rejects.toThrow(ConflictError);
      expect(await store().findCredential(hashSecret('new'))).toBeUndefined();
    });

    test('an unknown one is neither read, replaced nor revoked', async () => {
      const error = new NotFoundError('credential', unknown);
      const successor = { credentialId: randomUUID(), secretSha256: hashSecret('new'), at };
      await expect(store().readCredential(unknown)).rejects.toThrow(error);
      await expect(store().replaceCredential(unknown, successor)).rejects.toThrow(error);
      await expect(store().revokeCredential(unknown, at)).rejects.toThrow(error);
    });
  });
}
