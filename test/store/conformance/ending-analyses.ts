import { expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../../src/domain/analysis.ts';
import type { Store } from '../../../src/store/store.ts';
import { setFeature } from '../../support/tenants.ts';
import * as fixtures from './fixtures.ts';

const { analyse, caseFixture, ended, failure, minute, newFile, noTime, resultOf, take, taken } = fixtures;

export function describeEndingAnalyses(store: () => Store): void {
  const next = () => store().takeAnalysis({ at: taken, leaseMilliseconds: minute });
  const lastEntries = (limit = 1) => store().listAuditEntries({ limit });

  test('an analysis that ends with a result: it is saved byte for byte, cached, and audited as the act of nobody', async () => {
    const { organisationId, caseId, begin, statusOf } = await caseFixture(store());
    const { lease, file_id: fileId } = await begin();
    const details = [{ kind: 'uk-company-number', value: '01234567', found_as: 'ß\0"\ud800', page: 2 }];
    const result = { ...resultOf(3), details } as AnalysisResult;
    const end = { file_id: fileId, analysis_status: 'analysis_complete', from_cache: false };
    expect(await store().completeAnalysis(lease, { result, cacheable: true, at: ended })).toEqual({
      ...{ ...end, case_id: caseId, organisation_id: organisationId },
    });
    expect(await statusOf(fileId)).toEqual(['analysis_complete', ended]);
    const read = await store().readAnalysis(fileId);
    expect(read).toMatchObject({ from_cache: false, failure: null, analysis_completed_at: ended });
    expect(read.result).toBe(JSON.stringify(result));
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(1);
    expect(await lastEntries(10)).toEqual([
      {
        id: expect.any(String) as unknown,
        occurred_at: ended,
        organisation_id: organisationId,
        credential_id: null,
        action: 'file.analysis.completed',
        before: { analysis_status: 'analysing' },
        after: { ...end, verification_enabled: false },
        request_id: null,
        cleared: 0,
      },
    ]);
    expect(await store().countWaitingAnalyses('2030-01-01T00:00:00.000Z')).toBe(0);
  });

  test('an analysis that ends with a failure: it is saved and audited, and nothing is cached', async () => {
    const { organisationId, update, begin, statusOf } = await caseFixture(store());
    await update(true);
    const { lease, file_id: fileId } = await begin();
    const end = { file_id: fileId, analysis_status: 'analysis_failed', from_cache: false };
    expect(await store().failAnalysis(lease, { failure, at: ended })).toMatchObject(end);
    expect(await statusOf(fileId)).toEqual(['analysis_failed', ended]);
    expect(await store().readAnalysis(fileId)).toMatchObject({ failure, result: null, from_cache: false });
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    const after = { ...end, verification_enabled: true };
    expect(await lastEntries()).toMatchObject([{ action: 'file.analysis.failed', after }]);
  });

  test('an analysis that ends when its lease has run out and nobody has taken it is ended all the same', async () => {
    const { begin, statusOf } = await caseFixture(store());
    const { lease } = await begin();
    const late = '2026-03-02T18:00:00.000Z';
    await store().completeAnalysis(lease, { result: resultOf(1), cacheable: true, at: late });
    expect(await statusOf(lease.fileId)).toEqual(['analysis_complete', late]);
  });

  test('a cached result is given to a file of the same content and organisation alone, when that is taken, which says so', async () => {
    const [one, other] = [await caseFixture(store()), await caseFixture(store())];
    await one.add(newFile('same'));
    const first = await analyse(store(), 5);
    await one.begin('different');
    await other.begin('same');
    const [again = ''] = await one.add(newFile('same'));
    const end = { file_id: again, analysis_status: 'analysis_complete', from_cache: true };
    expect(await next()).toEqual({ ...end, case_id: one.caseId, organisation_id: one.organisationId });
    expect(await one.statusOf(again)).toEqual(['analysis_complete', taken]);
    const read = await store().readAnalysis(again);
    expect(read).toMatchObject({ attempts: 0, started_at: taken, from_cache: true, verification_enabled: false });
    expect(read.result).toBe((await store().readAnalysis(first)).result);
    const entry = { action: 'file.analysis.completed', credential_id: null };
    const before = { analysis_status: 'waiting_for_analysis' };
    expect(await lastEntries()).toMatchObject([{ ...entry, before, after: end }]);
    expect(await next()).toBeUndefined();
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
    const { lease } = await opened.begin();
    await change(opened);
    const completion = { result: resultOf(1), cacheable, at: ended };
    expect(await store().completeAnalysis(lease, completion)).toMatchObject({ analysis_status: 'analysis_complete' });
    expect(await opened.cached()).toBe(0);
    expect(await store().readAnalysis(lease.fileId)).toMatchObject({ verification_enabled: true });
    expect(await lastEntries()).toMatchObject([{ after: { verification_enabled: true } }]);
  });

  const [without, withIt] = [{ verification_enabled: false }, { verification_enabled: true }];

  test('the feature of an organisation whose setting is on, withdrawn: what starts, is saved, cached and audited says that no checks ran, until it returns', async () => {
    const { organisationId, add, begin, set } = await fixture();
    await set(false);
    const file = await begin('same', taken, noTime);
    expect(file).toMatchObject({ ...without, checks_prevented_by: 'feature' });
    expect(await store().readVerificationSetting(organisationId)).toBe(true);
    const first = await analyse(store());
    await add(newFile('same'));
    const again = await next();
    expect(again).toMatchObject({ from_cache: true });
    for (const fileId of [first, String(again?.file_id)])
      expect(await store().readAnalysis(fileId)).toMatchObject(without);
    expect(await lastEntries(2)).toMatchObject([{ after: without }, { after: without }]);
    await set(true);
    expect(await begin('b')).toMatchObject(withIt);
  });

  test('the feature of an organisation whose setting is on, withdrawn or returned: cached results are cleared, and each is audited as the act of nobody', async () => {
    const [own, neighbour] = [await fixture(), await fixture()];
    const { organisationId, add, set } = own;
    for (const organisation of [own, neighbour]) {
      await organisation.add(newFile('same'));
      await analyse(store());
    }
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
    expect([await own.cached(), await neighbour.cached()]).toEqual([0, 1]);
    await add(newFile('same'));
    await analyse(store());
    expect(await set(false)).toMatchObject({ before: { enabled: false }, after: { enabled: false }, cleared: 0 });
    const returned = await set(true);
    expect(returned).toMatchObject({ before: { enabled: false }, after: { enabled: true }, cleared: 1 });
    const entries = await store().listAuditEntries({ organisationId, limit: 10 });
    expect(entries).toEqual(expect.arrayContaining([withdrawn, returned]));
  });

  test('the feature of an organisation whose setting is on, withdrawn while a worker that is lost has the file: the next one runs no checks', async () => {
    const { begin, set } = await fixture();
    expect(await begin('a', taken, noTime)).toMatchObject(withIt);
    await set(false);
    expect(await take(store(), ended)).toMatchObject({ attempts: 2, ...without });
  });

  test.each([
    ['of an organisation whose setting is off', false, 'verification', [false, true]],
    ['if it is held already', true, 'verification', [true]],
    ['if it is another one', true, 'another', [true, false]],
  ])('a feature clears no cached result %s, and is audited', async (_, enabled, feature, changesOfFeature) => {
    const { organisationId, add, update, cached, set } = await fixture();
    await update(enabled);
    await set(true);
    await add(newFile());
    await analyse(store());
    let held = feature === 'verification';
    for (const given of changesOfFeature) {
      const change = { organisationId, feature, enabled: given, occurredAt: taken };
      const entry = { before: { feature, enabled: held }, after: { feature, enabled: given }, cleared: 0 };
      expect(await store().updateFeature(change)).toMatchObject(entry);
      held = given;
    }
    expect(await cached()).toBe(1);
  });
}
