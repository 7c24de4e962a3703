import { expect, test } from '@jest/globals';
import { type AnalysisResult, type Evidence, mostRechecks } from '../../../src/domain/analysis.ts';
import type { CachedResultKey } from '../../../src/store/parts/cached-results.ts';
import type { NewFile } from '../../../src/store/parts/files.ts';
import type { TakenRecheck } from '../../../src/store/parts/rechecks.ts';
import type { Store } from '../../../src/store/store.ts';
import { setFeature } from '../../support/tenants.ts';
import * as fixtures from './fixtures.ts';

const { caseFixture, ended, importRegister, minute, newFile, noTime, resultOf, sha256, strangerOf, take } = fixtures;

/** When registries respond, by their evidence; the store is told that all happens when the analysis ended. */
const respondedAt = '2026-03-02T12:10:00.000Z';
const later = '2026-03-02T12:20:00.000Z';
/** By the clock of the store. */
const someTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

const unavailable = (value: string) =>
  fixtures.evidenceOf(value, ended, { verdict: 'registry_unavailable', reason: 'it did not respond' });
const notFound = (value: string, askedAt = respondedAt) => fixtures.evidenceOf(value, askedAt);
const provisional: AnalysisResult = { ...resultOf(1), evidence: [unavailable('00000001'), unavailable('00000002')] };

/** An organisation whose setting is on, and its files of which evidence is provisional. */
export async function recheckFixture(store: Store) {
  const fixture = await caseFixture(store);
  await setFeature(store, fixture.organisationId, true);
  await fixture.update(true);
  const analyse = async (file: NewFile = newFile(), recheckAfterMilliseconds: number = noTime) => {
    const [fileId = ''] = await fixture.add(file);
    const { lease } = await take(store);
    const completion = { result: provisional, cacheable: false, at: ended, recheckAfterMilliseconds };
    await store.completeAnalysis(lease, completion);
    return fileId;
  };
  return { ...fixture, analyse };
}

/** Takes the next file, as there is one that is due. */
export async function takeDue(
  store: Store,
  taking: Partial<Parameters<Store['takeRecheck']>[0]> = {},
): Promise<TakenRecheck> {
  const file = await store.takeRecheck({ at: ended, leaseMilliseconds: minute, after: '', ...taking });
  if (file?.status !== 'taken') throw new Error(`there is a file to ask about, not ${JSON.stringify(file)}`);
  return file;
}

export function describeRechecks(store: () => Store): void {
  const leaseOf = (leaseMilliseconds: number) => ({ at: ended, leaseMilliseconds });
  const takeRecheck = (after = '', leaseMilliseconds: number = minute) =>
    store().takeRecheck({ ...leaseOf(leaseMilliseconds), after });
  const taken = (after = '', leaseMilliseconds = minute) => takeDue(store(), { leaseMilliseconds, after });
  const save = (file: TakenRecheck, laterEvidence: Evidence[], dueAfterMilliseconds?: number) =>
    store().saveRecheck(file.lease, { laterEvidence, dueAfterMilliseconds, at: ended });

  test('a file of which evidence is provisional is taken when it is due, with what is known of it', async () => {
    const { organisationId, analyse } = await recheckFixture(store());
    await analyse(newFile('not due'), minute);
    expect(await store().countRechecks()).toBe(1);
    expect(await takeRecheck()).toBeUndefined();
    const fileId = await analyse();
    expect(await store().readAnalysis(fileId)).toMatchObject({ later_evidence: null, recheck_due_at: someTime });
    expect(await store().countRechecks()).toBe(2);
    expect(await takeRecheck()).toEqual({
      status: 'taken',
      lease: { fileId, token: expect.any(String) as unknown },
      file_id: fileId,
      organisation_id: organisationId,
      mime_type: 'application/pdf',
      content_sha256: sha256('content'),
      attempts: 1,
      result: JSON.stringify(provisional),
      later_evidence: [],
    });
    expect(await takeRecheck()).toBeUndefined();
  });

  test('a file of which evidence is provisional keeps its result byte for byte; later evidence is kept beside it, is cached and audited', async () => {
    const { organisationId, analyse, add } = await recheckFixture(store());
    const fileId = await analyse();
    const before = await store().readAnalysis(fileId);
    const first = await taken();
    expect(await save(first, [notFound('00000002')], noTime)).toBe('saved');
    const laterEvidence = [notFound('00000002')];
    const saved = { ...before, later_evidence: laterEvidence, recheck_due_at: someTime };
    expect(await store().readAnalysis(fileId)).toEqual(saved);
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    const second = await taken();
    expect(second).toMatchObject({ attempts: 1, later_evidence: [notFound('00000002')] });
    const all = [notFound('00000002'), notFound('00000001', later)];
    expect(await save(second, all)).toBe('saved');
    expect(await store().readAnalysis(fileId)).toEqual({ ...before, later_evidence: all, recheck_due_at: null });
    expect(await store().countRechecks()).toBe(0);

    const common = { organisation_id: organisationId, credential_id: null, action: 'file.evidence.added' };
    expect(await store().listAuditEntries({ limit: 2 })).toMatchObject([
      { ...common, before: { unavailable: 1 }, after: { file_id: fileId, unavailable: 0 }, cleared: 0 },
      { ...common, before: { unavailable: 2 }, after: { file_id: fileId, unavailable: 1 }, request_id: null },
    ]);
    const [again = ''] = await add(newFile());
    await store().takeAnalysis({ at: later, leaseMilliseconds: minute, askedSince: respondedAt });
    const { result, from_cache: fromCache, later_evidence: none } = await store().readAnalysis(again);
    expect([fromCache, none]).toEqual([true, null]);
    expect(JSON.parse(result ?? '')).toEqual({
      ...resultOf(1),
      evidence: [notFound('00000001', later), notFound('00000002')],
    });
  });

  test('a file of which evidence is provisional is due again without an audit entry without a response, and given up after so many times in a row', async () => {
    const { organisationId, analyse } = await recheckFixture(store());
    const fileId = await analyse();
    const entries = await store().listAuditEntries({ limit: 10 });
    for (let attempt = 1; attempt <= mostRechecks; attempt += 1) {
      const file = await taken();
      expect(file.attempts).toBe(attempt);
      expect(await save(file, [], noTime)).toBe('saved');
    }
    expect(await takeRecheck()).toEqual({ status: 'given_up', file_id: fileId, organisation_id: organisationId });
    expect(await store().countRechecks()).toBe(0);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual(entries);
    expect(await store().readAnalysis(fileId)).toMatchObject({ later_evidence: null, recheck_due_at: null });
  });

  test('a file of which evidence is provisional is taken by another worker when its lease has run out, and the first one changes nothing more', async () => {
    const { analyse } = await recheckFixture(store());
    const fileId = await analyse();
    const first = await taken('', noTime);
    expect(await store().renewRecheck(first.lease, leaseOf(minute))).toBe(true);
    expect(await takeRecheck()).toBeUndefined();
    expect(await store().renewRecheck(first.lease, leaseOf(noTime))).toBe(true);
    const second = await taken();
    expect(second).toMatchObject({ file_id: fileId, attempts: 2 });
    for (const lease of [first.lease, strangerOf(second.lease)]) {
      expect(await store().renewRecheck(lease, leaseOf(minute))).toBe(false);
      await store().releaseRecheck(lease, ended);
      const saving = { laterEvidence: [], dueAfterMilliseconds: undefined, at: ended };
      expect(await store().saveRecheck(lease, saving)).toBeUndefined();
    }
    await store().releaseRecheck(second.lease, ended);
    const third = await taken();
    // What was given back is due at once, and the attempt does not count.
    expect(third).toMatchObject({ file_id: fileId, attempts: 2 });
    expect(await save(third, [notFound('00000001')])).toBe('saved');
    expect(await save(third, [])).toBeUndefined();
    expect(await store().readAnalysis(fileId)).toMatchObject({ later_evidence: [notFound('00000001')] });
  });

  test('a file of which evidence is provisional is taken in turn with those of other organisations, and of its own the one that is due first', async () => {
    const pair = [await recheckFixture(store()), await recheckFixture(store())];
    pair.sort((one, other) => (one.organisationId < other.organisationId ? -1 : 1));
    const [one, other] = pair as [(typeof pair)[0], (typeof pair)[0]];
    const second = await one.analyse(newFile('b'));
    const first = await one.analyse(newFile('a'), -minute);
    const others = await other.analyse(newFile('c'));
    expect(await taken(one.organisationId)).toMatchObject({ file_id: others });
    expect(await taken(other.organisationId)).toMatchObject({ file_id: first });
    expect(await taken(one.organisationId)).toMatchObject({ file_id: second });
  });

  type Fixture = Awaited<ReturnType<typeof recheckFixture>>;
  const withdrawals: [string, (fixture: Fixture) => Promise<unknown>][] = [
    ['switched its verification off', ({ update }) => update(false)],
    ['switched it off and on again', ({ update }) => update(false).then(() => update(true))],
    ['lost the feature', ({ organisationId: id }) => setFeature(store(), id, false)],
  ];
  test.each(withdrawals)(
    'nobody asks again about a file whose organisation %s, before or meanwhile',
    async (_, withdraw) => {
      const fixture = await recheckFixture(store());
      const other = await recheckFixture(store());
      const [asked, saved, waiting] = [await fixture.analyse(), await fixture.analyse(), await fixture.analyse()];
      const files = [await taken(), await taken()];
      await withdraw(fixture);
      const othersFile = await other.analyse();
      const [renewed, ended_] = files as [TakenRecheck, TakenRecheck];
      expect(await store().renewRecheck(renewed.lease, leaseOf(noTime))).toBe(false);
      expect(await save(ended_, [notFound('00000001')], noTime)).toBe('given_up');
      const left = [await takeRecheck(), await takeRecheck()];
      expect(left.map((file) => [file?.status, file?.file_id]).sort()).toEqual(
        [
          ['given_up', [asked, saved, waiting].find((id) => !files.some(({ file_id: held }) => held === id))],
          ['taken', othersFile],
        ].sort(),
      );
      for (const fileId of [asked, saved, waiting])
        expect(await store().readAnalysis(fileId)).toMatchObject({ later_evidence: null });
      await store().releaseRecheck(renewed.lease, ended);
      const last = { status: 'given_up', file_id: renewed.file_id };
      expect(await takeRecheck(other.organisationId)).toMatchObject(last);
    },
  );

  const cache = async (organisationId: string, content: string, evidence: Evidence[] | null) =>
    store().saveCachedAnalysisResult({
      organisation_id: organisationId,
      content_sha256: sha256(content),
      result: { ...resultOf(1), evidence },
      created_at: ended,
    });
  const prune = (after?: CachedResultKey, limit = 100) =>
    store().pruneCachedResults({ at: later, askedSince: respondedAt, after, limit });

  test('pruning cached results deletes those whose evidence does not count any more, and no others', async () => {
    const { organisationId } = await caseFixture(store());
    await importRegister(store());
    const edition = String(await store().readCompanyRegisterEdition());
    await cache(organisationId, 'without evidence', null);
    await cache(organisationId, 'recent', [notFound('1', respondedAt)]);
    await cache(organisationId, 'old', [notFound('1', ended)]);
    await cache(organisationId, 'imported', [{ ...notFound('1', ended), edition }]);
    expect(await prune()).toEqual({ deleted: 1, next: undefined });
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(3);
    await importRegister(store());
    expect(await prune()).toEqual({ deleted: 1, next: undefined });
    expect(await prune()).toEqual({ deleted: 0, next: undefined });
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
  });

  test('pruning cached results looks at so many each time, one after the other, of all organisations', async () => {
    const pair = [await caseFixture(store()), await caseFixture(store())];
    for (const [index, { organisationId }] of pair.entries())
      for (let content = 0; content < 5; content += 1)
        await cache(organisationId, `${index} ${content}`, [notFound('1', ended)]);
    let after: CachedResultKey | undefined;
    const deleted: number[] = [];
    do {
      const pruned = await prune(after, 4);
      deleted.push(pruned.deleted);
      after = pruned.next;
    } while (after);
    expect(deleted).toEqual([4, 4, 2]);
  });
}
