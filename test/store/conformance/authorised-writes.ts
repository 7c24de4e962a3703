import { describe, expect, test } from '@jest/globals';
import type { Authorisation, HeldRights } from '../../../src/store/authorisation.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, addCredential, addOrganisation, setFeature } from '../../support/tenants.ts';
import { at, later, settingFixture, unknown } from './fixtures.ts';

const refused = new Error('refused');

export function describeAuthorisedWrites(store: () => Store): void {
  /** The rights that a write is told. */
  const rightsIn = async (caller: Authorisation['callers'][number]): Promise<HeldRights | undefined> => {
    let told: readonly (HeldRights | undefined)[] = [];
    const check: Authorisation['check'] = (rights) => void (told = rights);
    await store()
      .authorisedBy({ callers: [caller], check })
      .setPermission('viewer', 'a:b', false);
    expect(told).toHaveLength(1);
    return told[0];
  };
  const refusing = (credentialId: string, organisationId: string): Authorisation => ({
    callers: [{ credentialId, organisationId }],
    check: () => {
      throw refused;
    },
  });

  describe('a write that needs an authorisation', () => {
    test('is told the rights that its caller has now', async () => {
      const organisationId = await addOrganisation(store());
      const { credentialId } = await addCredential(store(), organisationId, {
        kind: 'api-key',
        role: 'member',
        expires_at: later,
      });
      const caller = { credentialId, organisationId };
      const credential = { kind: 'api-key', expires_at: later, revoked_at: null };
      const permissions = ['organisation_settings:read'];
      expect(await rightsIn(caller)).toMatchObject({ credential, permissions, features: ['verification'] });
      await setFeature(store(), organisationId, false);
      await store().setPermission('member', 'organisation_settings:read', false);
      await store().revokeCredential(credentialId, at);
      expect(await rightsIn(caller)).toMatchObject({
        credential: { ...credential, revoked_at: at },
        permissions: [],
        features: [],
      });
    });

    test('is told the features alone of a caller whose organisation has no such credential', async () => {
      const [one, other] = [await addOrganisation(store()), await addOrganisation(store(), [])];
      const foreign = await addCredential(store(), other, { kind: 'access-token', role: null });
      const none = { credential: undefined, permissions: [], features: ['verification'] };
      expect(await rightsIn({ credentialId: "jwt_'", organisationId: one })).toEqual(none);
      expect(await rightsIn({ credentialId: foreign.credentialId, organisationId: one })).toEqual(none);
      expect(await rightsIn({ credentialId: foreign.credentialId, organisationId: unknown })).toBeUndefined();
    });

    test('is told the rights of each of several callers', async () => {
      const organisationId = await addOrganisation(store());
      const kinds = [];
      for (const [kind, role] of [['access-token', null] as const, ['api-key', 'owner'] as const]) {
        const { credentialId } = await addCredential(store(), organisationId, { kind, role });
        kinds.push({ credentialId, organisationId });
      }
      let told: unknown;
      const check = (rights: readonly (HeldRights | undefined)[]) =>
        void (told = rights.map((held) => held?.credential?.kind));
      await store().authorisedBy({ callers: kinds, check }).setPermission('viewer', 'a:b', false);
      expect(told).toEqual(['access-token', 'api-key']);
    });

    test('changes nothing if it is refused, whatever it writes', async () => {
      const { organisationId, credentialId } = await settingFixture(store(), 2);
      const caseId = await addCase(store(), organisationId);
      const authorised = store().authorisedBy(refusing(credentialId, organisationId));
      const change = { organisationId, enabled: true, credentialId, requestId: 'request-1', occurredAt: at };
      await expect(authorised.updateVerificationSetting(change)).rejects.toBe(refused);
      await expect(authorised.lockCase(caseId, at)).rejects.toBe(refused);
      expect(await store().readVerificationSetting(organisationId)).toBe(false);
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
      expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: null });
    });

    test('leaves reads, and the writes of others at the same moment, as they are', async () => {
      const { organisationId, credentialId, update } = await settingFixture(store(), 0);
      const authorised = store().authorisedBy(refusing(credentialId, organisationId));
      const change = { organisationId, enabled: false, credentialId, requestId: 'r', occurredAt: at };
      const outcomes = await Promise.allSettled([
        update(true),
        authorised.updateVerificationSetting(change),
        update(true),
        authorised.readVerificationSetting(organisationId),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(await store().readVerificationSetting(organisationId)).toBe(true);
      expect(await store().listAuditEntries({ limit: 10 })).toHaveLength(2);
    });
  });
}
