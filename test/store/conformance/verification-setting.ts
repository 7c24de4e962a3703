import { describe, expect, test } from '@jest/globals';
import { NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addOrganisation } from '../../support/tenants.ts';
import { at, later, saveResult, settingFixture, unknown } from './fixtures.ts';

export function describeVerificationSetting(store: () => Store): void {
  describe('the verification setting', () => {
    test('is off until somebody switches it on', async () => {
      expect(await store().readVerificationSetting(await addOrganisation(store()))).toBe(false);
    });

    test('a change saves it, clears the cached results of this organisation alone, and is audited', async () => {
      const { organisationId, credentialId, update } = await settingFixture(store(), 3);
      const neighbour = await settingFixture(store(), 1);
      const entry = await update(true);
      expect(entry).toEqual({
        id: expect.any(String),
        occurred_at: at,
        organisation_id: organisationId,
        credential_id: credentialId,
        action: 'organisation.verification-setting.updated',
        before: { enabled: false },
        after: { enabled: true },
        request_id: 'request-1',
        cleared: 3,
      });
      expect(await store().readVerificationSetting(organisationId)).toBe(true);
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([entry]);
      expect(await store().readVerificationSetting(neighbour.organisationId)).toBe(false);
      expect(await store().countCachedAnalysisResults(neighbour.organisationId)).toBe(1);
    });

    test('the value that is held clears nothing, and is audited too', async () => {
      const { organisationId, update } = await settingFixture(store(), 2);
      expect(await update(false)).toMatchObject({ before: { enabled: false }, after: { enabled: false }, cleared: 0 });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
      expect(await store().listAuditEntries({ limit: 10 })).toHaveLength(1);
    });

    test('can be switched off again', async () => {
      const { organisationId, update } = await settingFixture(store(), 0);
      await update(true);
      await saveResult(store(), organisationId, 'afterwards');
      expect(await update(false)).toMatchObject({ before: { enabled: true }, after: { enabled: false }, cleared: 1 });
      expect(await store().readVerificationSetting(organisationId)).toBe(false);
    });

    test('an update whose audit entry cannot be written changes nothing at all', async () => {
      const { organisationId } = await settingFixture(store(), 2);
      const change = { organisationId, enabled: true, credentialId: unknown, requestId: 'request-1', occurredAt: at };
      await expect(store().updateVerificationSetting(change)).rejects.toThrow();
      expect(await store().readVerificationSetting(organisationId)).toBe(false);
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
    });

    test('of updates made at once, one that fails leaves the others, which follow one another', async () => {
      const { organisationId, update } = await settingFixture(store(), 1);
      const failing = { organisationId, enabled: true, credentialId: unknown, requestId: 'r', occurredAt: at };
      const outcomes = await Promise.allSettled([
        update(true),
        store().updateVerificationSetting(failing),
        update(false),
        update(true),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      const entries = (await store().listAuditEntries({ organisationId, limit: 10 })).reverse();
      expect(entries).toHaveLength(3);
      const held = [{ enabled: false }, ...entries.map(({ after }) => after)];
      expect(entries.map(({ before }) => before)).toEqual(held.slice(0, -1));
      expect([{ enabled: await store().readVerificationSetting(organisationId) }]).toEqual(held.slice(-1));
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    });

    test('an unknown organisation has none', async () => {
      const error = new NotFoundError('organisation', unknown);
      const change = { organisationId: unknown, enabled: true, credentialId: unknown, requestId: 'r', occurredAt: at };
      await expect(store().readVerificationSetting(unknown)).rejects.toThrow(error);
      await expect(store().updateVerificationSetting(change)).rejects.toThrow(error);
    });
  });
}

export function describeCachedResults(store: () => Store): void {
  describe('cached analysis results', () => {
    test('are counted by organisation; the same content is held once', async () => {
      const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
      expect(await store().countCachedAnalysisResults(one)).toBe(0);
      await saveResult(store(), one, 'a');
      await saveResult(store(), one, 'a');
      await saveResult(store(), one, 'b');
      await saveResult(store(), other, 'a');
      expect(await store().countCachedAnalysisResults(one)).toBe(2);
    });

    test('need an organisation that exists', async () => {
      await expect(saveResult(store(), unknown, 'a')).rejects.toThrow(new NotFoundError('organisation', unknown));
    });
  });
}

export function describeAudit(store: () => Store): void {
  describe('the audit log', () => {
    test('is listed from the newest entry, of one organisation or of all, up to a limit', async () => {
      const [one, other] = [await settingFixture(store(), 0), await settingFixture(store(), 0)];
      // The clock goes back between the two: the order is that of writing.
      const first = await one.update(true, later);
      const second = await other.update(true, at);
      const third = await one.update(false, at);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([third, second, first]);
      expect(await store().listAuditEntries({ limit: 1 })).toEqual([third]);
      expect(await store().listAuditEntries({ organisationId: one.organisationId, limit: 10 })).toEqual([third, first]);
    });
  });
}
