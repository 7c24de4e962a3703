import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/store.ts';
import { analyse, caseFixture, ended, failure, minute, newFile, resultOf, take, taken } from './analysis-fixtures.ts';

export function describeEndingAnalyses(store: () => Store): void {
  const next = () => store().takeAnalysis({ at: taken, leaseMilliseconds: minute });

  describe('an analysis that ends', () => {
    test('with a result: it is saved byte for byte, cached, and audited as the act of nobody', async () => {
      const { organisationId, caseId, add, statusOf } = await caseFixture(store());
      const [fileId] = await add(newFile());
      const { lease } = await take(store());
      const result = {
        ...resultOf(3),
        details: [{ kind: 'uk-company-number', value: '01234567', found_as: 'ß\0"\ud800', page: 2 }],
      } as const;
      const completion = { result: { ...result, details: [...result.details] }, cacheable: true, at: ended };
      expect(await store().completeAnalysis(lease, completion)).toEqual({
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
      expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([
        {
          action: 'file.analysis.failed',
          after: { file_id: fileId, analysis_status: 'analysis_failed', from_cache: false, verification_enabled: true },
        },
      ]);
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

    test('is not made of a result that its worker cannot cache', async () => {
      const { organisationId, add } = await caseFixture(store());
      await add(newFile());
      const { lease } = await take(store());
      await store().completeAnalysis(lease, { result: resultOf(1), cacheable: false, at: ended });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    });

    test('is gone after the setting changed: the content is analysed afresh, and the first result stays', async () => {
      const { update, add } = await caseFixture(store());
      await add(newFile('same'));
      const first = await analyse(store(), 5);
      const before = await store().readAnalysis(first);
      await update(true);
      await add(newFile('same'));
      expect(await take(store())).toMatchObject({ verification_enabled: true });
      expect(await store().readAnalysis(first)).toEqual(before);
    });

    test('stays when the setting is updated to the value that it has', async () => {
      const { update, add } = await caseFixture(store());
      await add(newFile('same'));
      const { lease } = await take(store());
      await update(false);
      await store().completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
      await update(false);
      await add(newFile('same'));
      expect(await next()).toMatchObject({ from_cache: true });
    });

    test('is not made of an analysis during which the setting changed, though it is complete', async () => {
      const { organisationId, update, add } = await caseFixture(store());
      await add(newFile());
      const { lease } = await take(store());
      await update(true);
      const completion = { result: resultOf(1), cacheable: true, at: ended };
      expect(await store().completeAnalysis(lease, completion)).toMatchObject({ analysis_status: 'analysis_complete' });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
      expect(await store().readAnalysis(lease.fileId)).toMatchObject({ verification_enabled: false });
      expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([{ after: { verification_enabled: false } }]);
    });

    test('is not made of an analysis during which the setting changed there and back', async () => {
      const { organisationId, update, add } = await caseFixture(store());
      await add(newFile());
      const { lease } = await take(store());
      await update(true);
      await update(false);
      await store().completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: ended });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    });
  });
}
