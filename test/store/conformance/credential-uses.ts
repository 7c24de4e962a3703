import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

export function describeCredentialUses(store: () => Store): void {
  const add = async (expiresAt: string | null = null) => {
    const credential = { kind: 'access-token', role: null, expires_at: expiresAt } as const;
    return (await addCredential(store(), await addOrganisation(store()), credential)).credentialId;
  };

  describe('the last use of a credential', () => {
    const lastUses = async () =>
      Object.fromEntries(
        (await store().listCredentials()).map(({ credential_id: id, last_used_at: usedAt }) => [id, usedAt]),
      );

    test('is noted for several at once, and is the latest that any server has noted', async () => {
      const [one, other, unused] = [await add(), await add(), await add()];
      await store().noteCredentialUses([
        { credential_id: one, last_used_at: at },
        { credential_id: other, last_used_at: later },
      ]);
      await Promise.all([
        store().noteCredentialUses([
          { credential_id: one, last_used_at: later },
          { credential_id: other, last_used_at: at },
        ]),
        store().noteCredentialUses([
          { credential_id: other, last_used_at: at },
          { credential_id: one, last_used_at: at },
        ]),
      ]);
      expect(await lastUses()).toEqual({ [one]: later, [other]: later, [unused]: null });
    });

    test('of one that is unknown is left out, and the others are noted', async () => {
      const one = await add();
      await store().noteCredentialUses([
        { credential_id: unknown, last_used_at: at },
        { credential_id: one, last_used_at: at },
      ]);
      expect(await lastUses()).toEqual({ [one]: at });
    });
  });

  describe('credentials that expire', () => {
    test('are listed in the order of their expiry, within a period and up to a limit, unless they are revoked', async () => {
      const times = ['2026-03-02T12:00:00.000Z', '2026-03-02T12:30:00.000Z', '2026-03-02T13:00:00.001Z'];
      const [, second, third] = [await add(times[0]), await add(times[1]), await add(times[2])];
      const first = await add('2026-03-02T12:00:00.001Z');
      const revoked = await add(times[1]);
      await store().revokeCredential(revoked, at);
      await add();
      const listed = async (until: string, limit = 10) =>
        (await store().listExpiringCredentials({ from: at, until, limit })).map(({ credential_id: id }) => id);
      expect(await listed(later)).toEqual([first, second]);
      expect(await listed('9999-12-31T23:59:59.999Z')).toEqual([first, second, third]);
      expect(await listed(later, 1)).toEqual([first]);
      expect(await store().listExpiringCredentials({ from: at, until: later, limit: 1 })).toEqual([
        await store().readCredential(first),
      ]);
    });
  });
}
