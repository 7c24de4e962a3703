import { describe, expect, test } from '@jest/globals';
import { hashSecret } from '../../../src/domain/secret.ts';
import { NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation } from '../../support/tenants.ts';

export function describeRoles(store: () => Store): void {
  describe('roles', () => {
    test('hold the permissions of decision D20 at first', async () => {
      expect(await store().listRoles()).toEqual([
        { role: 'member', permissions: ['organisation_settings:read'] },
        { role: 'owner', permissions: ['organisation_settings:read', 'organisation_settings:write'] },
        { role: 'viewer', permissions: [] },
      ]);
    });

    test('gain and lose a permission for the credentials that exist', async () => {
      const { secret } = await addCredential(store(), await addOrganisation(store()), {
        kind: 'api-key',
        role: 'viewer',
      });
      const permissions = async () => (await store().findCredential(hashSecret(secret)))?.permissions;
      await store().setPermission('viewer', 'organisation_settings:read', true);
      await store().setPermission('viewer', 'organisation_settings:read', true);
      expect(await permissions()).toEqual(['organisation_settings:read']);
      await store().setPermission('viewer', 'organisation_settings:read', false);
      expect(await permissions()).toEqual([]);
    });

    test('an unknown one is refused', async () => {
      await expect(store().setPermission('boss', 'organisation_settings:read', true)).rejects.toThrow(
        new NotFoundError('role', 'boss'),
      );
    });
  });
}
