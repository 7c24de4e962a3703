import { describe, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../../src/domain/analysis.ts';
import type { Store } from '../../../src/store/store.ts';
import { setFeature } from '../../support/tenants.ts';
import * as fixtures from './analysis-fixtures.ts';

const { analyse, caseFixture, ended, failure, minute, newFile, noTime, resultOf, take, taken } = fixtures;

export function describeEndingAnalyses(store: () => Store): void {
  const next = () => store().takeAnalysis({ at: taken, leaseMilliseconds: minute });

  describe('an analysis that ends', () => {
    test('with a result: it is saved byte for byte, cached, and audited as the act of nobody', async () => {
      const { organisationId, caseId, add, statusOf } = await caseFixture(store());
      const [fileId] = await add(newFile());
      const { lease } = await take(store());
      const details = [{ kind: 'uk-company-number', value: '01234567', found_as: 'ß\0"\ud800', page: 2 }];
      const result = { ...resultOf(3), details } as AnalysisResult;
      expect(await store().completeAnalysis(lease, { result, cacheable: true, at: ended })).toEqual({
        analysis_status: 'analysis_complete',
        file_id: fileId,
        case_id: caseId,
        organisation_id: organisationId,
        from_cache: false,
      });
      expect(await statusOf(String(fileId))).toEqual(['analysis_complete', ended]);
      const read = await store().readAnalysis(String(fileId));
      expect(read).toMatchObject({ from_cache: false, failure: null, analysis_completed_at: ended });
      expect(read.result).toBe(JSON.stringify(result));
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(1);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([
        {
          id: expect.any(String) as unknown,
          occurred_at: ended,
          organisation_id: organisationId,
          credential_id: null,
          action: 'file.analysis.completed',
          before: { analysis_status: 'analysing' },
          after: {
            file_id: fileId,
            analysis_status: 'analysis_complete',
            from_cache: false,
            verification_enabled: false,
          },
          request_id: null,
          cleared: 0,
        },
      ]);
      expect(await store().countWaitingAnalyses('2030-01-01T00:00:00.000Z')).toBe(0);
    });

    test('with a failure: it is saved and audited, and nothing is cached', async () => {
      const { organisationId, update, add, statusOf } = await caseFixture(store());
      await update(true);
      const [fileId] = await add(newFile());
      const { lease } = await take(store());
      const told = await store().failAnalysis(lease, { failure, at: ended });
      expect(told).toMatchObject({ analysis_status: 'analysis_failed', from_cache: false });
      expect(await statusOf(String(fileId))).toEqual(['analysis_failed', ended]);
      expect(await store().readAnalysis(String(fileId))).toMatchObject({ failure, result: null, from_cache: false });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
      const after = {
        file_id: fileId,
        analysis_status: 'analysis_failed',
        from_cache: false,
        verification_enabled: true,
      };
      expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([{ action: 'file.analysis.failed', after }]);
    });

    test('when its lease has run out and nobody has taken it is ended all the same', async () => {
      const { add, statusOf } = await caseFixture(store());
      await add(newFile());
      const { lease } = await take(store());
      const late = '2026-03-02T18:00:00.000Z';
      await store().completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: late });
      expect(await statusOf(lease.fileId)).toEqual(['analysis_complete', late]);
    });
  });

  describe('a cached result', () => {
    test('is given to a file of the same content and organisation when that is taken, which says so', async () => {
      const { organisationId, caseId, add, statusOf } = await caseFixture(store());
      await add(newFile('same'));
      const first = await analyse(store(), 5);
      const [again] = await add(newFile('same'));
      expect(await next()).toEqual({
        analysis_status: 'analysis_complete',
        file_id: again,
        case_id: caseId,
        organisation_id: organisationId,
        from_cache: true,
      });
      expect(await statusOf(String(again))).toEqual(['analysis_complete', taken]);
      const read = await store().readAnalysis(String(again));
      expect(read).toMatchObject({ attempts: 0, started_at: taken, from_cache: true, verification_enabled: false });
      expect(read.result).toBe((await store().readAnalysis(first)).result);
      expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([
        {
          action: 'file.analysis.completed',
          credential_id: null,
          before: { analysis_status: 'waiting_for_analysis' },
          after: { file_id: again, from_cache: true },
        },
      ]);
      expect(await next()).toBeUndefined();
    });

    test('is not given to a file of another content, or of another organisation', async () => {
      const [one, other] = [await caseFixture(store()), await caseFixture(store())];
      await one.add(newFile('same'));
      await analyse(store());
      await one.add(newFile('different'));
      await other.add(newFile('same'));
      await take(store());
      await take(store());
      expect(await next()).toBeUndefined();
    });
  });

  /** An organisation whose setting is on. */
  const fixture = async () => {
    const organisation = await caseFixture(store());
    await organisation.update(true);
    const set = (enabled: boolean) => setFeature(store(), organisation.organisationId, enabled);
    const cached = () => store().countCachedAnalysisResults(organisation.organisationId);
    return { ...organisation, set, cached };
  };

  type Fixture = Awaited<ReturnType<typeof fixture>>;
  const changes: [string, (fixture: Fixture) => Promise<unknown>, boolean?][] = [
    ['that its worker cannot cache', () => Promise.resolve(), false],
    ['during which the setting changed', ({ update }) => update(false)],
    ['during which the setting changed there and back', ({ update }) => update(false).then(() => update(true))],
    ['during which the feature was withdrawn', ({ set }) => set(false)],
    ['during which the feature was withdrawn and returned', ({ set }) => set(false).then(() => set(true))],
  ];
  test.each(changes)('an analysis %s ends as it began, and is not cached', async (_, change, cacheable = true) => {
    const opened = await fixture();
    await opened.add(newFile());
    const { lease } = await take(store());
    await change(opened);
    const completion = { result: resultOf(1), cacheable, at: ended };
    expect(await store().completeAnalysis(lease, completion)).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await opened.cached()).toBe(0);
    expect(await store().readAnalysis(lease.fileId)).toMatchObject({ verification_enabled: true });
    expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([{ after: { verification_enabled: true } }]);
  });

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
      const again = await next();
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

    test('withdrawn while a worker that is lost has the file: the next one runs no checks', async () => {
      const { add, set } = await fixture();
      await add(newFile());
      expect(await take(store(), taken, noTime)).toMatchObject({ verification_enabled: true });
      await set(false);
      expect(await take(store(), ended)).toMatchObject({ attempts: 2, verification_enabled: false });
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
      expect(await next()).toMatchObject({ from_cache: true });
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
