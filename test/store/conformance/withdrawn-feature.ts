import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/store.ts';
import { setFeature } from '../../support/tenants.ts';
import { analyse, caseFixture, ended, minute, newFile, noTime, resultOf, take, taken } from './analysis-fixtures.ts';

export function describeWithdrawnFeature(store: () => Store): void {
  /** An organisation whose setting is on. */
  const fixture = async () => {
    const organisation = await caseFixture(store());
    await organisation.update(true);
    const set = (enabled: boolean) => setFeature(store(), organisation.organisationId, enabled);
    const cached = () => store().countCachedAnalysisResults(organisation.organisationId);
    return { ...organisation, set, cached };
  };

  describe('the feature of an organisation whose setting is on', () => {
    test('withdrawn: an analysis that starts runs no checks, and the setting is kept for its return', async () => {
      const { organisationId, add, set } = await fixture();
      await set(false);
      await add(newFile('a'));
      expect(await take(store())).toMatchObject({ verification_enabled: false, checks_prevented_by: 'feature' });
      expect(await store().readVerificationSetting(organisationId)).toBe(true);
      await set(true);
      await add(newFile('b'));
      expect(await take(store())).toMatchObject({ verification_enabled: true });
    });

    test('withdrawn: what is saved, cached and audited of an analysis says that no checks ran', async () => {
      const { add, set } = await fixture();
      await set(false);
      await add(newFile('same'));
      const first = await analyse(store());
      await add(newFile('same'));
      const again = await store().takeAnalysis({ at: taken, leaseMilliseconds: minute });
      expect(again).toMatchObject({ from_cache: true });
      for (const fileId of [first, String(again?.file_id)])
        expect(await store().readAnalysis(fileId)).toMatchObject({ verification_enabled: false });
      expect(await store().listAuditEntries({ limit: 2 })).toMatchObject([
        { after: { verification_enabled: false } },
        { after: { verification_enabled: false } },
      ]);
    });

    test('withdrawn or returned: cached results are cleared, and each is audited as the act of nobody', async () => {
      const { organisationId, add, set, cached } = await fixture();
      const neighbour = await fixture();
      await add(newFile('same'));
      await analyse(store());
      await neighbour.add(newFile('same'));
      await analyse(store());
      const withdrawn = await set(false);
      expect(withdrawn).toEqual({
        id: expect.any(String) as unknown,
        occurred_at: '2026-03-02T11:00:00.000Z',
        organisation_id: organisationId,
        credential_id: null,
        action: 'organisation.feature.updated',
        before: { feature: 'verification', enabled: true },
        after: { feature: 'verification', enabled: false },
        request_id: null,
        cleared: 1,
      });
      expect([await cached(), await neighbour.cached()]).toEqual([0, 1]);
      await add(newFile('same'));
      expect(await take(store(), taken, noTime)).toMatchObject({ verification_enabled: false });
      await analyse(store(), 1, ended);
      const returned = await set(true);
      expect(returned).toMatchObject({ before: { enabled: false }, after: { enabled: true }, cleared: 1 });
      expect(await store().listAuditEntries({ organisationId, limit: 10 })).toEqual(
        expect.arrayContaining([withdrawn, returned]),
      );
      await add(newFile('same'));
      expect(await take(store())).toMatchObject({ verification_enabled: true });
    });

    test('withdrawn during an analysis: it ends with the checks that it began with, and is not cached', async () => {
      const { add, set, cached } = await fixture();
      await add(newFile());
      const { lease } = await take(store());
      await set(false);
      const completion = { result: { ...resultOf(1), evidence: [] }, cacheable: true, at: ended };
      expect(await store().completeAnalysis(lease, completion)).toMatchObject({ analysis_status: 'analysis_complete' });
      expect(await store().readAnalysis(lease.fileId)).toMatchObject({ verification_enabled: true });
      expect(await cached()).toBe(0);
    });

    test('withdrawn and returned during an analysis: its result is not cached either', async () => {
      const { add, set, cached } = await fixture();
      await add(newFile());
      const { lease } = await take(store());
      await set(false);
      await set(true);
      await store().completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
      expect(await cached()).toBe(0);
    });

    test('withdrawn while a worker that is lost has the file: the next one runs no checks', async () => {
      const { add, set } = await fixture();
      await add(newFile());
      expect(await take(store(), taken, noTime)).toMatchObject({ verification_enabled: true });
      await set(false);
      expect(await take(store(), ended)).toMatchObject({
        attempts: 2,
        verification_enabled: false,
      });
    });
  });

  describe('a feature clears no cached result', () => {
    test('of an organisation whose setting is off: no checks run, with it or without', async () => {
      const { add, organisationId } = await caseFixture(store());
      await add(newFile('same'));
      await analyse(store());
      expect(await setFeature(store(), organisationId, false)).toMatchObject({ cleared: 0 });
      expect(await setFeature(store(), organisationId, true)).toMatchObject({ cleared: 0 });
      await add(newFile('same'));
      expect(await store().takeAnalysis({ at: taken, leaseMilliseconds: minute })).toMatchObject({ from_cache: true });
    });

    test('if it is held or lacking already, and is audited too', async () => {
      const { add, set, cached } = await fixture();
      await add(newFile());
      await analyse(store());
      expect(await set(true)).toMatchObject({ before: { enabled: true }, after: { enabled: true }, cleared: 0 });
      expect(await cached()).toBe(1);
      await set(false);
      expect(await set(false)).toMatchObject({ before: { enabled: false }, after: { enabled: false }, cleared: 0 });
    });

    test('if it is another one', async () => {
      const { add, organisationId, cached } = await fixture();
      await add(newFile());
      await analyse(store());
      const another = { organisationId, feature: 'another', occurredAt: taken };
      await store().updateFeature({ ...another, enabled: true });
      expect(await store().updateFeature({ ...another, enabled: false })).toMatchObject({
        before: { feature: 'another', enabled: true },
        cleared: 0,
      });
      expect(await cached()).toBe(1);
    });
  });
}
